import { derivedId } from '#kernel/ids.ts';
import { remember, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { dueDateOf } from '#values/account-terms.ts';
import { takenOver } from '#values/basket-hold.ts';
import { customerStream } from '../../customers/customer.stream.ts';
import type { RequestedOrder } from '../../invoices/payments/purchase-orders.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

/** A purchase order that was asked for. */
export interface OpenPurchaseOrder extends RequestedOrder {
  readonly invoiceId: string;
  readonly customerId: string;
}

interface Found {
  readonly paymentTermsDays: number | null;
}

/**
 * From a request to an invoice on account: the customer's stream grants the credit, and takes it back where the invoice
 * was closed meanwhile. What comes of an accepted one is the settlement's.
 */
export const acceptPurchaseOrder: Process<OpenPurchaseOrder, Found> = {
  name: 'accept-purchase-order',
  on: { PurchaseOrderRequested: 'opens', PurchaseOrderAccepted: 'ends', PurchaseOrderRefused: 'ends' },
  takenOver,
  begins: () => ({ paymentTermsDays: null }),
  steps: [
    {
      name: 'claim credit',
      // By its id a repeat is recognised also after the credit was given back.
      commands: ({
        invoiceId,
        customerId,
        requestId,
        requestedAt: soldAt,
        amountInStoreCurrency: amount,
      }) => {
        const claim = { type: 'ClaimCredit', invoiceId, amount, soldAt } as const;
        return [
          remember(
            to(customerStream, customerId, claim, derivedId('claim-credit', requestId)),
            (_, { state }) => ({
              paymentTermsDays: state.status === 'known' ? state.fields.paymentTermsDays : null,
            }),
          ),
        ];
      },
      compensate: ({ invoiceId, customerId }) => [
        to(customerStream, customerId, { type: 'ReleaseCredit', invoiceId }),
      ],
    },
    {
      name: 'accept',
      commands: ({ invoiceId, requestId, requestedAt }, { paymentTermsDays }) => [
        to(invoiceStream, invoiceId, {
          type: 'AcceptPurchaseOrder',
          requestId,
          dueDate: dueDateOf(requestedAt, paymentTermsDays),
        }),
      ],
    },
  ],
  completes: null,
  fails: ({ invoiceId, requestId }, { code, message }) =>
    to(invoiceStream, invoiceId, { type: 'RefusePurchaseOrder', requestId, code, message }),
};

import type { Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { basketEndStream } from '../../checkout/checkout.stream.ts';
import { toCustomer } from '../../customers/customer.stream.ts';
import { countersOf, customerUsageId } from '../../discounts/discount-usage.commands.ts';
import { discountUsageStream } from '../../discounts/discount-usage.stream.ts';
import { stockStream } from '../../inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import type { ClaimedByEdit } from '../../invoices/order-desk/edits.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

/** A cancelled or deleted invoice, and what it may still hold. */
export interface OpenClearing {
  readonly invoiceId: string;
  readonly basketId: string | null;
  /** The holder of its units and uses. */
  readonly heldBy: string;
  readonly customerId: string | null;
  readonly placementId: string;
  /** Stock rows of goods that will not ship. */
  readonly rows: readonly { readonly productId: string; readonly warehouseId: string }[];
  /** Uses that do not count for good, as the invoice was never a sale. */
  readonly discountIds: readonly string[];
  readonly customerClaims: { readonly customerId: string; readonly discountIds: readonly string[] } | null;
  readonly isSold: boolean;
  /** Uses claimed by edits, if the invoice was never a sale. */
  readonly usesOfEdits: readonly ClaimedByEdit[];
  /** Uses of a sale that count for good. */
  readonly settledUses: readonly SettledUse[];
}

export interface SettledUse {
  readonly discountId: string;
  readonly perCustomer: boolean;
  readonly basketId: string;
  readonly placementId: string;
}

const givenUp = (uses: readonly SettledUse[], customerId: string | null) =>
  uses.flatMap(({ discountId, perCustomer, basketId, placementId }) =>
    countersOf({ discountId, perCustomer }, customerId).map((counter) =>
      to(discountUsageStream, counter, { type: 'GiveUpDiscountUse', discountId, basketId, placementId }),
    ),
  );

/** Uses that edits claimed in their own names, at the discount and the customer. */
export const releasedUsesOfEdits = (uses: readonly ClaimedByEdit[], customerId: string | null) =>
  uses.flatMap(({ discountId, editId }) =>
    countersOf({ discountId, perCustomer: true }, customerId).map((counter) =>
      to(discountUsageStream, counter, {
        type: 'ReleaseDiscountUse',
        discountId,
        basketId: editId,
        placementId: editId,
      }),
    ),
  );

const usesOf = ({ heldBy: basketId, placementId, discountIds, customerClaims }: OpenClearing) => {
  const release = (discountId: string, counter: string) =>
    to(discountUsageStream, counter, {
      type: 'ReleaseDiscountUse',
      discountId,
      basketId,
      placementId,
    });
  const { customerId = '', discountIds: ofCustomer = [] } = customerClaims ?? {};
  return [
    ...discountIds.map((id) => release(id, id)),
    ...ofCustomer.map((id) => release(id, customerUsageId(id, customerId))),
  ];
};

/** Closed by staff, or deleted while open: there is something to release. */
const opens = ({ data }: { readonly data: unknown }) => {
  const { cancelledBy, wasCancelled } = data as { cancelledBy?: string; wasCancelled?: boolean };
  return cancelledBy !== undefined || wasCancelled === false ? 'opens' : null;
};

const whenEdited = ({ data }: { readonly data: unknown }) =>
  (data as { isEdited?: boolean }).isEdited ? 'opens' : null;

/** From a cancelled or deleted invoice to the last unit released. Each step finds what is left. */
export const clearInvoice: Process<OpenClearing, null> = {
  name: 'clear-invoice',
  on: {
    InvoiceCancelled: opens,
    InvoiceDeleted: opens,
    InvoiceSuperseded: whenEdited,
    InvoiceCleared: 'ends',
  },
  takenOver: null,
  begins: () => null,
  steps: [
    {
      name: 'give back stock and uses',
      commands: (open) => {
        const { heldBy: basketId, placementId, rows } = open;
        return [
          ...rows.map(({ productId, warehouseId }) =>
            to(stockStream, stockId(productId, warehouseId), { type: 'ReleaseStock', basketId, placementId }),
          ),
          ...usesOf(open),
          ...releasedUsesOfEdits(open.usesOfEdits, open.customerId),
          ...givenUp(open.settledUses, open.customerId),
        ];
      },
    },
    {
      name: 'tell the customer',
      commands: ({ customerId, invoiceId, isSold }) =>
        toCustomer(customerId, { type: isSold ? 'CancelCustomerSale' : 'NoteExpiredInvoice', invoiceId }),
    },
    {
      name: 'free the basket of what was never sold',
      commands: ({ basketId, invoiceId, placementId, isSold }) =>
        isSold || basketId === null
          ? []
          : [to(basketEndStream, basketId, { type: 'ExpireOrder', placementId, invoiceId })],
    },
  ],
  completes: ({ invoiceId }) => to(invoiceStream, invoiceId, { type: 'ClearInvoice' }),
  fails: null,
};

import type { Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { basketEndStream } from '../../checkout/checkout.stream.ts';
import { customerStream } from '../../customers/customer.stream.ts';
import { customerUsageId } from '../../discounts/discount-usage.commands.ts';
import { discountUsageStream } from '../../discounts/discount-usage.stream.ts';
import { stockId, stockStream } from '../../inventory/stock.stream.ts';
import type { ClaimedByEdit } from '../../invoices/order-desk/edits.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

/** An invoice that staff have cancelled or deleted, and what it may still hold. */
export interface OpenClearing {
  readonly invoiceId: string;
  readonly basketId: string | null;
  /** In whose name its units and uses are held. */
  readonly heldBy: string;
  readonly customerId: string;
  readonly placementId: string;
  /** The rows of goods that are no longer sent. */
  readonly rows: readonly { readonly productId: string; readonly warehouseId: string }[];
  /** Uses that are not counted for good: of what was never sold. */
  readonly discountIds: readonly string[];
  readonly customerClaims: { readonly customerId: string; readonly discountIds: readonly string[] } | null;
  readonly isSold: boolean;
  /** Uses that its edits have claimed, of what was never sold. */
  readonly usesOfEdits: readonly ClaimedByEdit[];
  /** Uses that were counted for good, of a sale: in whose name, and whether with the customer as well. */
  readonly settledUses: readonly SettledUse[];
}

export interface SettledUse {
  readonly discountId: string;
  readonly perCustomer: boolean;
  readonly basketId: string;
  readonly placementId: string;
}

/** Where the uses of a rule are counted: with it, and with the customer where that is limited as well. */
const givenUp = (uses: readonly SettledUse[], customerId: string) =>
  uses.flatMap(({ discountId, perCustomer, basketId, placementId }) =>
    [discountId, ...(perCustomer ? [customerUsageId(discountId, customerId)] : [])].map((counter) =>
      to(discountUsageStream, counter, { type: 'GiveUpDiscountUse', discountId, basketId, placementId }),
    ),
  );

/** Uses that edits claimed in their own names, with the rule and with the customer. */
export const releasedUsesOfEdits = (uses: readonly ClaimedByEdit[], customerId: string) =>
  uses.flatMap(({ discountId, editId }) =>
    [discountId, customerUsageId(discountId, customerId)].map((counter) =>
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

/** Closed by staff, or deleted before it was closed: there is something to give back. */
const opens = ({ data }: { readonly data: unknown }) => {
  const { cancelledBy, wasCancelled } = data as { cancelledBy?: string; wasCancelled?: boolean };
  return cancelledBy !== undefined || wasCancelled === false ? 'opens' : null;
};

const whenEdited = ({ data }: { readonly data: unknown }) =>
  (data as { isEdited?: boolean }).isEdited ? 'opens' : null;

/** From a cancelled or deleted invoice to the last unit given back. Each step finds what is left of it. */
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
      commands: ({ customerId, invoiceId, isSold }) => [
        to(customerStream, customerId, {
          type: isSold ? 'CancelCustomerSale' : 'NoteExpiredInvoice',
          invoiceId,
        }),
      ],
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

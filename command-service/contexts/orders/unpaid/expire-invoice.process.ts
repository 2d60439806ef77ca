import type { StockHold } from '#events/checkout.events.ts';
import type { Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { basketEndStream } from '../../checkout/checkout.stream.ts';
import { toCustomer } from '../../customers/customer.stream.ts';
import { customerUsageId } from '../../discounts/discount-usage.commands.ts';
import { discountUsageStream } from '../../discounts/discount-usage.stream.ts';
import { releasedUsesOfEdits } from './clear-invoice.process.ts';
import type { ClaimedByEdit } from '../../invoices/order-desk/edits.state.ts';
import { stockStream } from '../../inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';

/** An expired invoice, and what its basket still holds for it. */
export interface OpenExpiry {
  readonly invoiceId: string;
  readonly basketId: string;
  readonly customerId: string | null;
  readonly placementId: string;
  readonly holds: readonly StockHold[];
  readonly discountIds: readonly string[];
  readonly usesOfEdits: readonly ClaimedByEdit[];
  /** Uses that are counted with the customer as well. */
  readonly customerClaims: { readonly customerId: string; readonly discountIds: readonly string[] } | null;
}

/**
 * From an expired invoice to the last unit released. Each step finds what is left. It takes no turn, so that a later
 * placement of the basket keeps what it has taken over.
 */
export const expireInvoice: Process<OpenExpiry, null> = {
  name: 'expire-invoice',
  on: {
    InvoiceCancelled: ({ data }) =>
      (data as { readonly cancelledBy?: string }).cancelledBy === undefined ? 'opens' : null,
  },
  endsElsewhere: { OrderExpired: ({ data }) => (data as { readonly invoiceId: string }).invoiceId },
  takenOver: null,
  begins: () => null,
  steps: [
    {
      name: 'give back stock and discount uses',
      commands: ({ basketId, placementId, holds, discountIds, customerClaims, usesOfEdits, customerId }) => [
        ...releasedUsesOfEdits(usesOfEdits, customerId),
        ...holds.map(({ productId, warehouseId }) =>
          to(stockStream, stockId(productId, warehouseId), { type: 'ReleaseStock', basketId, placementId }),
        ),
        ...[
          ...discountIds.map((discountId) => ({ discountId, counter: discountId })),
          ...(customerClaims?.discountIds ?? []).map((discountId) => ({
            discountId,
            counter: customerUsageId(discountId, customerClaims?.customerId ?? ''),
          })),
        ].map(({ discountId, counter }) =>
          to(discountUsageStream, counter, {
            type: 'ReleaseDiscountUse',
            discountId,
            basketId,
            placementId,
          }),
        ),
      ],
    },
    {
      name: 'tell the customer',
      commands: ({ customerId, invoiceId }) =>
        toCustomer(customerId, { type: 'NoteExpiredInvoice', invoiceId }),
    },
  ],
  completes: ({ basketId, placementId, invoiceId }) =>
    to(basketEndStream, basketId, { type: 'ExpireOrder', placementId, invoiceId }),
  fails: null,
};

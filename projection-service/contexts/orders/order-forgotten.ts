import type { OrderFacts } from './order-fold.ts';
import { forgottenNotes } from './order-notes.ts';
import type { OrderDocument } from './order.document.ts';

const everyNull = (of: Readonly<Record<string, unknown>>): Readonly<Record<string, null>> =>
  Object.fromEntries(Object.keys(of).map((key) => [key, null]));

/** What staff gave as a reason may say something about the buyer. */
const forgottenCancellation = ({ cancellation }: Pick<OrderDocument, 'cancellation'>) =>
  cancellation?.reason === 'cancelled' ? { ...cancellation, detail: null } : cancellation;

/** What is left of an order whose buyer is forgotten (docs/rules/forgetting.md#orders). */
export const forgottenOrder = (document: OrderDocument, dateUpdated: string): OrderFacts => ({
  ...document,
  dateUpdated,
  email: null,
  billingAddress: null,
  shippingAddress: null,
  purchaseOrder: null,
  notes: forgottenNotes(document.notes),
  cancellation: forgottenCancellation(document),
  cancellationReasons: everyNull(document.cancellationReasons),
  fulfilments: Object.fromEntries(
    Object.entries(document.fulfilments).map(([orderId, fulfilment]) => [
      orderId,
      { ...fulfilment, fulfilmentErrorMessage: null },
    ]),
  ),
});

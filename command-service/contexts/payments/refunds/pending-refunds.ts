import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Fold } from '#reference/reference-part.ts';
import { idOf } from '#values/stream-name.ts';
import { createPendingOutcomes, type PendingOutcomes } from '../sessions/pending-outcomes.ts';

const MINUTE = 60_000;
/** As anything whose outcome is not known, at first; a bank may take weeks (docs/rules/refunds.md#on-its-way). */
const pace = { soon: MINUTE / 6, later: 15 * MINUTE, isYoungFor: 60 * MINUTE };

const nameOf = (event: Recorded): string =>
  `${idOf(event.stream)} ${(event.data as { readonly refundId: string }).refundId}`;

/** Refunds that providers have taken on and still have to make, as invoice and refund; each ends by its provider. */
export const createPendingRefunds = (): PendingOutcomes => {
  const { add, remove: removeName, part } = createPendingOutcomes(pace);
  const remove = (event: Recorded): void => removeName(nameOf(event));
  const on: Partial<Fold<InvoiceEvent>> = {
    RefundPending: (event) => add(nameOf(event), { since: Date.parse(event.data.pendingSince) }),
    PaymentRefunded: remove,
    RefundDeclined: remove,
  };
  return { ...part, name: 'pending-refunds', isBookkeeping: true, version: 1, on };
};

import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { SlicedEntries } from '#reference/sliced-entries.ts';
import { idOf } from '#values/stream-name.ts';

/** Invoices for whose payment a provider owes the outcome, and since when. Bounded: each expires after a day. */
export interface PendingPayments extends ReferencePart {
  /** At most `max` that are due to be looked up, those that wait longest first. They are put off until later. */
  takeDue(now: number, max: number): readonly string[];
  count(): number;
}

const MINUTE = 60_000;
/** Looked up after so long at first, later at long intervals. */
const SOON = MINUTE;
const LATER = 15 * MINUTE;
const IS_YOUNG_FOR = 10 * MINUTE;

export const createPendingPayments = (): PendingPayments => {
  const since = new Map<string, number>();
  const entries = new SlicedEntries<number>();
  const add = (id: string, begun: number): void => {
    since.set(id, begun);
    entries.set(id, begun);
  };
  /** When each was looked up last, by this process; what it has not yet is due at once. */
  const lookedUp = new Map<string, number>();
  const remove = ({ stream }: Pick<Recorded, 'stream'>): void => {
    since.delete(idOf(stream));
    entries.delete(idOf(stream));
    lookedUp.delete(idOf(stream));
  };
  const ended = (event: Recorded): void => {
    const { attemptId, endsPending } = event.data as { attemptId?: string | null; endsPending?: true };
    if (endsPending || attemptId) remove(event);
  };
  const on: Partial<Fold<InvoiceEvent>> = {
    PaymentPending: ({ stream, data }) => add(idOf(stream), Date.parse(data.pendingSince)),
    PaymentCaptured: remove,
    PaymentDeclined: ended,
    PaymentSessionClosed: ended,
    InvoiceCancelled: remove,
  };
  return {
    name: 'pending-payments',
    isBookkeeping: true,
    version: 1,
    on,
    takeDue: (now, max) => {
      const isDue = ([id, begun]: readonly [string, number]): boolean => {
        const last = lookedUp.get(id);
        return last === undefined || now - last >= (now - begun < IS_YOUNG_FOR ? SOON : LATER);
      };
      const due = [...since]
        .filter(isDue)
        .sort(([, one], [, other]) => one - other)
        .slice(0, max)
        .map(([id]) => id);
      for (const id of due) lookedUp.set(id, now);
      return due;
    },
    count: () => since.size,
    entries,
    restore: (kept) => {
      for (const [id, begun] of kept as readonly (readonly [string, number])[]) add(id, begun);
    },
    clear: () => {
      since.clear();
      lookedUp.clear();
    },
  };
};

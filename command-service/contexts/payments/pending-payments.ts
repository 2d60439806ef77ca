import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { SlicedEntries } from '#reference/sliced-entries.ts';
import { idOf } from '#values/stream-name.ts';

/** What a provider owes the outcome of. */
interface Owed {
  /** Milliseconds since 1970 UTC. */
  readonly since: number;
  readonly provider: string;
  readonly attemptId: string | null;
  /** As the provider calls it, and its session. */
  readonly references: readonly string[];
}

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

type EventOfType<Type extends InvoiceEvent['type']> = Recorded<
  Extract<InvoiceEvent, { readonly type: Type }>
>;

const owedBy = (data: EventOfType<'PaymentPending'>['data']): Owed => {
  const { provider, attemptId, transactionId, sessionId, pendingSince } = data;
  const references = [transactionId, ...(sessionId === null ? [] : [sessionId])];
  return { since: Date.parse(pendingSince), provider, attemptId, references };
};

/** Whether it is the payment that is waited for: money may come in by another way meanwhile. */
const isThatOne = (
  owed: Owed,
  { provider, attemptId, transactionId, sessionId }: EventOfType<'PaymentCaptured'>['data'],
): boolean =>
  (attemptId !== null && attemptId === owed.attemptId) ||
  (provider === owed.provider && owed.references.some((one) => one === transactionId || one === sessionId));

export const createPendingPayments = (): PendingPayments => {
  const pending = new Map<string, Owed>();
  const entries = new SlicedEntries<Owed>();
  const add = (id: string, owed: Owed): void => {
    pending.set(id, owed);
    entries.set(id, owed);
  };
  /** When each was looked up last, by this process; what it has not yet is due at once. */
  const lookedUp = new Map<string, number>();
  const remove = ({ stream }: Pick<Recorded, 'stream'>): void => {
    pending.delete(idOf(stream));
    entries.delete(idOf(stream));
    lookedUp.delete(idOf(stream));
  };
  const on: Partial<Fold<InvoiceEvent>> = {
    PaymentPending: ({ stream, data }) => add(idOf(stream), owedBy(data)),
    PaymentCaptured: (event) => {
      const owed = pending.get(idOf(event.stream));
      if (owed && isThatOne(owed, event.data)) remove(event);
    },
    PaymentDeclined: (event) => {
      if (event.data.endsPending || event.data.attemptId !== null) remove(event);
    },
    PaymentSessionClosed: (event) => {
      if (event.data.endsPending) remove(event);
    },
    InvoiceCancelled: remove,
  };
  return {
    name: 'pending-payments',
    isBookkeeping: true,
    version: 2,
    on,
    takeDue: (now, max) => {
      const isDue = ([id, { since }]: readonly [string, Owed]): boolean => {
        const last = lookedUp.get(id);
        return last === undefined || now - last >= (now - since < IS_YOUNG_FOR ? SOON : LATER);
      };
      const due = [...pending]
        .filter(isDue)
        .sort(([, one], [, other]) => one.since - other.since)
        .slice(0, max)
        .map(([id]) => id);
      for (const id of due) lookedUp.set(id, now);
      return due;
    },
    count: () => pending.size,
    entries,
    restore: (kept) => {
      for (const [id, owed] of kept as readonly (readonly [string, Owed])[]) add(id, owed);
    },
    clear: () => {
      pending.clear();
      lookedUp.clear();
    },
  };
};

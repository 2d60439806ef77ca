import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Fold } from '#reference/reference-part.ts';
import { idOf } from '#values/stream-name.ts';
import { createPendingOutcomes, type PendingOutcomes } from './pending-outcomes.ts';

/** What a provider owes the outcome of. */
interface Owed {
  readonly since: number;
  readonly provider: string;
  readonly attemptId: string | null;
  /** As the provider calls it, and its session. */
  readonly references: readonly string[];
}

const MINUTE = 60_000;
const pace = { soon: MINUTE, later: 15 * MINUTE, isYoungFor: 10 * MINUTE };

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
  {
    provider,
    attemptId,
    transactionId,
    sessionId,
  }: EventOfType<'PaymentCaptured' | 'PaymentAuthorized'>['data'],
): boolean =>
  (attemptId !== null && attemptId === owed.attemptId) ||
  (provider === owed.provider && owed.references.some((one) => one === transactionId || one === sessionId));

/** Invoices for whose payment a provider owes the outcome. Bounded: each expires after a day. */
export const createPendingPayments = (): PendingOutcomes => {
  const { get, add, remove: removeId, part } = createPendingOutcomes<Owed>(pace);
  const remove = ({ stream }: Pick<Recorded, 'stream'>): void => removeId(idOf(stream));
  const removeIfIt = (event: EventOfType<'PaymentCaptured' | 'PaymentAuthorized'>): void => {
    const owed = get(idOf(event.stream));
    if (owed && isThatOne(owed, event.data)) remove(event);
  };
  const on: Partial<Fold<InvoiceEvent>> = {
    PaymentPending: ({ stream, data }) => add(idOf(stream), owedBy(data)),
    PaymentCaptured: removeIfIt,
    PaymentAuthorized: removeIfIt,
    PaymentDeclined: (event) => {
      if (event.data.endsPending || event.data.attemptId !== null) remove(event);
    },
    PaymentSessionClosed: (event) => {
      if (event.data.endsPending) remove(event);
    },
    InvoiceCancelled: remove,
  };
  return { ...part, name: 'pending-payments', isBookkeeping: true, version: 2, on };
};

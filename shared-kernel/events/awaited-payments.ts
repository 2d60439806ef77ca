import type { EventOfType } from '#kernel/event.ts';
import type { InvoiceEvent } from './invoice.events.ts';

type Data<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>['data'];

type PendingOutcome = Pick<Data<'PaymentPending'>, 'provider' | 'attemptId' | 'sessionId'> & {
  /** Null where the provider has named none yet. */
  readonly transactionId: string | null;
};

/** Where the money of an invoice may still come from by itself (docs/rules/orders.md#awaiting-payment). */
export interface AwaitedPayments {
  /** By hand or on account: it stands until the invoice is closed. */
  readonly isPromised: boolean;
  /** Open ones, apart from forms at the shop. */
  readonly sessionIds: readonly string[];
  /** What a provider owes the outcome of, or has left unknown. */
  readonly pending: PendingOutcome | null;
}

export const nothingAwaited: AwaitedPayments = { isPromised: false, sessionIds: [], pending: null };

export const isAwaited = (awaited: AwaitedPayments | null): boolean =>
  awaited !== null && (awaited.isPromised || awaited.pending !== null || awaited.sessionIds.length > 0);

/** Whether this payment is the outcome that is owed: money may come in by another way meanwhile. */
export const isOutcomeOf = (
  owed: PendingOutcome,
  { provider, attemptId, transactionId, sessionId }: Data<'PaymentCaptured'>,
): boolean =>
  (attemptId !== null && attemptId === owed.attemptId) ||
  (provider === owed.provider &&
    (transactionId === owed.transactionId || (sessionId !== undefined && sessionId === owed.sessionId)));

const withoutPending = (awaited: AwaitedPayments, isOver: boolean): AwaitedPayments =>
  isOver && awaited.pending ? { ...awaited, pending: null } : awaited;

const opened = (
  awaited: AwaitedPayments,
  { kind, sessionId }: Data<'PaymentSessionOpened'>,
): AwaitedPayments =>
  // A form at the shop does not start a payment: it may never be filled in.
  kind === 'intent' || awaited.sessionIds.includes(sessionId)
    ? awaited
    : { ...awaited, sessionIds: [...awaited.sessionIds, sessionId] };

/** The attempt has come to something else than money: nothing, or another way to it. */
const attemptEnded = (
  awaited: AwaitedPayments,
  attemptId: string | null | undefined,
  isOver = false,
): AwaitedPayments => {
  const { pending } = awaited;
  const isThatOne = pending !== null && pending.attemptId !== null && pending.attemptId === attemptId;
  return withoutPending(awaited, isOver || isThatOne);
};

const closed = (
  awaited: AwaitedPayments,
  { sessionId, endsPending }: Data<'PaymentSessionClosed'>,
): AwaitedPayments => {
  const isKnown = awaited.sessionIds.includes(sessionId);
  if (!isKnown && !endsPending) return awaited;
  return {
    ...awaited,
    sessionIds: awaited.sessionIds.filter((one) => one !== sessionId),
    pending: endsPending ? null : awaited.pending,
  };
};

/** What is awaited after an event; null for an invoice that is closed, for good: its payer is to pay no more. */
export const awaitedAfter = (
  awaited: AwaitedPayments | null,
  event: InvoiceEvent,
): AwaitedPayments | null => {
  if (awaited === null) return null;
  switch (event.type) {
    case 'PaymentPromised':
    case 'PurchaseOrderAccepted':
      return { ...awaited, isPromised: true };
    case 'PaymentSessionOpened':
      return opened(attemptEnded(awaited, event.data.attemptId), event.data);
    case 'PaymentSessionClosed':
      return closed(awaited, event.data);
    case 'PaymentPending': {
      const { provider, transactionId, attemptId, sessionId } = event.data;
      return { ...awaited, pending: { provider, transactionId, attemptId, sessionId } };
    }
    case 'PaymentAskedAgain': {
      const { provider, attemptId } = event.data;
      return { ...awaited, pending: { provider, attemptId, transactionId: null, sessionId: null } };
    }
    case 'PaymentDeclined':
      return attemptEnded(awaited, event.data.attemptId, event.data.endsPending);
    case 'PaymentAttemptMatched':
    case 'PaymentNotAttempted':
      return attemptEnded(awaited, event.data.attemptId);
    case 'PaymentCaptured':
      return withoutPending(awaited, awaited.pending !== null && isOutcomeOf(awaited.pending, event.data));
    case 'InvoiceSuperseded':
    case 'InvoiceCancelled':
    case 'InvoiceDeleted':
      return null;
    default:
      return awaited;
  }
};

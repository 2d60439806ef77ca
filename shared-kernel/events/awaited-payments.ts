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
  /** Set aside by providers, and not taken yet. */
  readonly authorized: readonly AuthorizedMoney[];
}

export interface AuthorizedMoney extends Pick<
  Data<'PaymentAuthorized'>,
  'paymentId' | 'amount' | 'expiresAt'
> {
  /** Its provider is being asked to let it go. */
  readonly isToBeVoided: boolean;
}

export const nothingAwaited: AwaitedPayments = {
  isPromised: false,
  sessionIds: [],
  pending: null,
  authorized: [],
};

export const isAwaited = (awaited: AwaitedPayments | null): boolean =>
  awaited !== null &&
  (awaited.isPromised ||
    awaited.pending !== null ||
    awaited.sessionIds.length > 0 ||
    awaited.authorized.length > 0);

/** Whether this payment is the outcome that is owed: money may come in by another way meanwhile. */
export const isOutcomeOf = (
  owed: PendingOutcome,
  { provider, attemptId, transactionId, sessionId }: Data<'PaymentCaptured' | 'PaymentAuthorized'>,
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

const outcomeCame = (
  awaited: AwaitedPayments,
  data: Data<'PaymentCaptured' | 'PaymentAuthorized'>,
): AwaitedPayments => withoutPending(awaited, awaited.pending !== null && isOutcomeOf(awaited.pending, data));

const authorized = (awaited: AwaitedPayments, data: Data<'PaymentAuthorized'>): AwaitedPayments => {
  const { paymentId, amount, expiresAt } = data;
  const money = { paymentId, amount, expiresAt, isToBeVoided: false };
  const others = awaited.authorized.filter((one) => one.paymentId !== paymentId);
  return { ...outcomeCame(awaited, data), authorized: [...others, money] };
};

/** Taken, or let go. */
const withoutAuthorized = (awaited: AwaitedPayments, paymentId: string): AwaitedPayments =>
  awaited.authorized.some((one) => one.paymentId === paymentId)
    ? { ...awaited, authorized: awaited.authorized.filter((one) => one.paymentId !== paymentId) }
    : awaited;

const voiding = (awaited: AwaitedPayments, paymentId: string, isToBeVoided: boolean): AwaitedPayments => ({
  ...awaited,
  authorized: awaited.authorized.map((one) => (one.paymentId === paymentId ? { ...one, isToBeVoided } : one)),
});

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
    case 'PaymentAuthorized':
      return authorized(awaited, event.data);
    case 'VoidAttempted':
    case 'VoidDeclined':
      return voiding(awaited, event.data.paymentId, event.type === 'VoidAttempted');
    case 'AuthorizationReleased':
      return withoutAuthorized(awaited, event.data.paymentId);
    case 'PaymentCaptured':
      return withoutAuthorized(outcomeCame(awaited, event.data), event.data.paymentId);
    case 'InvoiceSuperseded':
    case 'InvoiceCancelled':
    case 'InvoiceDeleted':
      return null;
    default:
      return awaited;
  }
};

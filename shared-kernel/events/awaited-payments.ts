import type { EventOfType } from '#kernel/event.ts';
import type { InvoiceEvent } from './invoice.events.ts';

type Data<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>['data'];

type OwedOutcome = Pick<Data<'PaymentPending'>, 'provider' | 'transactionId' | 'attemptId' | 'sessionId'>;

/** Where the money of an invoice may still come from by itself (docs/rules/orders.md#awaiting-payment). */
export interface AwaitedPayments {
  /** By hand or on account: it stands until the invoice is closed. */
  readonly isPromised: boolean;
  /** Open ones, apart from forms at the shop. */
  readonly sessionIds: readonly string[];
  /** What a provider owes the outcome of. */
  readonly pending: OwedOutcome | null;
}

export const nothingAwaited: AwaitedPayments = { isPromised: false, sessionIds: [], pending: null };

export const isAwaited = (awaited: AwaitedPayments | null): boolean =>
  awaited !== null && (awaited.isPromised || awaited.pending !== null || awaited.sessionIds.length > 0);

/** Whether this payment is the outcome that is owed: money may come in by another way meanwhile. */
export const isOutcomeOf = (
  owed: OwedOutcome,
  { provider, attemptId, transactionId, sessionId }: Data<'PaymentCaptured'>,
): boolean =>
  (attemptId !== null && attemptId === owed.attemptId) ||
  (provider === owed.provider &&
    (transactionId === owed.transactionId || (sessionId !== undefined && sessionId === owed.sessionId)));

const opened = (
  awaited: AwaitedPayments,
  { kind, sessionId }: Data<'PaymentSessionOpened'>,
): AwaitedPayments =>
  // A form at the shop is no start of a payment: nobody may ever fill it in.
  kind === 'intent' || awaited.sessionIds.includes(sessionId)
    ? awaited
    : { ...awaited, sessionIds: [...awaited.sessionIds, sessionId] };

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

const withoutPending = (awaited: AwaitedPayments, isOver: boolean): AwaitedPayments =>
  isOver && awaited.pending ? { ...awaited, pending: null } : awaited;

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
      return opened(awaited, event.data);
    case 'PaymentSessionClosed':
      return closed(awaited, event.data);
    case 'PaymentPending': {
      const { provider, transactionId, attemptId, sessionId } = event.data;
      return { ...awaited, pending: { provider, transactionId, attemptId, sessionId } };
    }
    case 'PaymentDeclined': {
      const { attemptId, endsPending = false } = event.data;
      return withoutPending(
        awaited,
        endsPending || (attemptId !== null && attemptId === awaited.pending?.attemptId),
      );
    }
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

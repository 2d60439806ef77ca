import { invoiceEvents, type InvoiceEvent, type PaymentSessionKind } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { saveForIn, type SaveFor } from './open-attempt.state.ts';

const { PaymentSessionClosed } = invoiceEvents.create;

type Closed = EventOfType<InvoiceEvent, 'PaymentSessionClosed'>['data'];

/** A payment that continues at the provider (docs/rules/payment-sessions.md#sessions). */
export interface PaymentSession {
  readonly sessionId: string;
  readonly provider: string;
  readonly method: string;
  readonly kind: PaymentSessionKind;
  readonly amount: number;
  readonly currency: string;
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  /** Where a charge that became a session sends the payer; null for a session that was opened as one. */
  readonly redirectUrl: string | null;
  /** With which the provider's script goes on instead. */
  readonly clientSecret: string | null;
  /** The charge that became this session. */
  readonly attemptId: string | null;
  /** For whom the method used is saved. */
  readonly saveFor: SaveFor | null;
  /** ISO instant. */
  readonly openedAt: string;
  readonly status: 'open' | Closed['reason'];
  readonly message: string | null;
}

/** A payment whose outcome is pending. */
export interface PendingPayment {
  readonly provider: string;
  readonly method: string;
  readonly transactionId: string;
  readonly attemptId: string | null;
  readonly sessionId: string | null;
  readonly amount: number;
  /** ISO instant. */
  readonly pendingSince: string;
  /** For whom the method used is saved. */
  readonly saveFor: SaveFor | null;
}

/** The most sessions remembered; opening one more closes the oldest. */
const SESSIONS_REMEMBERED = 20;

/** A session that its provider is still to void. */
export type SessionToVoid = Pick<PaymentSession, 'sessionId' | 'provider'>;

interface WithSessions {
  readonly sessions: readonly PaymentSession[];
  readonly sessionsToVoid: readonly SessionToVoid[];
}

export const sessionOpened = (
  sessions: readonly PaymentSession[],
  { data }: EventOfType<InvoiceEvent, 'PaymentSessionOpened'>,
): readonly PaymentSession[] => {
  const { sessionId, provider, method, kind, amount, currency, returnUrl, cancelUrl, openedAt } = data;
  const { attemptId = null, redirectUrl = null, clientSecret = null } = data;
  const saveFor = saveForIn(data);
  const pages = { returnUrl, cancelUrl, redirectUrl, clientSecret };
  const session = { sessionId, provider, method, kind, amount, currency, ...pages, attemptId, saveFor };
  const others = sessions.filter((one) => one.sessionId !== sessionId);
  return [...others, { ...session, openedAt, status: 'open' as const, message: null }].slice(
    -SESSIONS_REMEMBERED,
  );
};

export const sessionClosed = (
  { sessions, sessionsToVoid }: WithSessions,
  { sessionId, provider, reason, message }: Closed,
): WithSessions => ({
  sessions: sessions.map((one) =>
    one.sessionId === sessionId ? { ...one, status: reason, message: message ?? null } : one,
  ),
  sessionsToVoid: reason === 'voided' ? [...sessionsToVoid, { sessionId, provider }] : sessionsToVoid,
});

export const closed = (
  session: Pick<PaymentSession, 'sessionId' | 'provider' | 'method' | 'attemptId'>,
  reason: Closed['reason'],
  closedAt: string,
  more: Pick<Closed, 'message' | 'endsPending' | 'failed'> = {},
): EventOfType<InvoiceEvent, 'PaymentSessionClosed'> => {
  const { sessionId, provider, method, attemptId } = session;
  const charge = attemptId === null ? {} : { attemptId };
  return PaymentSessionClosed({ sessionId, provider, method, reason, closedAt, ...charge, ...more });
};

/** Closes the oldest session if the memory is full. */
export const roomForOne = (sessions: readonly PaymentSession[], now: string): InvoiceEvent[] => {
  const oldest = sessions.length >= SESSIONS_REMEMBERED ? sessions[0] : undefined;
  return oldest?.status === 'open' ? [closed(oldest, 'voided', now)] : [];
};

/** Voids the sessions of an invoice that is closed or paid another way. */
export const voidedSessions = (
  sessions: readonly PaymentSession[],
  now: string,
  paidIn: string | null = null,
): InvoiceEvent[] =>
  sessions
    .filter(({ status, sessionId }) => status === 'open' && sessionId !== paidIn)
    .map((session) => closed(session, 'voided', now));

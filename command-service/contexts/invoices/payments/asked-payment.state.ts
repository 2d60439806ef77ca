import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { KnownInvoice } from '../invoice.state.ts';
import type { CardPayment, OpenPaymentSession } from './payment.commands.ts';

/**
 * The attempt's id is the provider's idempotency key: a double click shares it, a try after a final outcome gets a new
 * one (docs/architecture.md#across-streams).
 */
export const attemptIdOf = (invoiceId: string, invoice: KnownInvoice, command: CardPayment): string =>
  derivedId('attempt', invoiceId, command.provider, command.method, command.tokenHash, invoice.finalAttempts);

/** A double click, or a charge that became a session or whose outcome is pending. */
export const isUnderWay = ({ openAttempt, pending, sessions }: KnownInvoice, attemptId: string): boolean =>
  openAttempt?.attemptId === attemptId ||
  pending?.attemptId === attemptId ||
  sessions.some((session) => session.status === 'open' && session.attemptId === attemptId);

/**
 * The provider's idempotency key for a session: asked twice, it starts one. Failed sessions and attempts are part of
 * it, so that the same method can be tried again.
 */
export const sessionKeyOf = (
  invoiceId: string,
  { finalAttempts, endedSessions, balance, content }: KnownInvoice,
  asked: Pick<OpenPaymentSession, 'provider' | 'method' | 'returnUrl' | 'cancelUrl' | 'saveFor'>,
): string => {
  const { provider, method, returnUrl, cancelUrl, saveFor } = asked;
  const figures = [balance.balanceDue, content.currency, finalAttempts, endedSessions];
  const isKept = saveFor ? ['kept for', saveFor.customerId] : [];
  return derivedId(
    'payment-session',
    invoiceId,
    provider,
    method,
    returnUrl,
    cancelUrl,
    ...figures,
    ...isKept,
  );
};

/** The most sessions an invoice opens: without a limit, repeated requests would write for ever. */
const SESSIONS_OPENED = 100;

export const refuseTooMany = ({ openedSessions }: KnownInvoice): void => {
  if (openedSessions < SESSIONS_OPENED) return;
  throw new Rejection(
    'too-many-payment-sessions',
    `${SESSIONS_OPENED} payments of this order were begun elsewhere. Finish one that is still open, or pay in another way.`,
  );
};

/** Called before a provider is asked. Repeating the request of an open session is allowed. */
export const refuseAnotherSession = (
  invoice: KnownInvoice,
  asked: Pick<OpenPaymentSession, 'provider' | 'method' | 'returnUrl' | 'cancelUrl'>,
): void => {
  const { sessions } = invoice;
  const isOpen = sessions.some(
    (one) =>
      one.status === 'open' &&
      one.provider === asked.provider &&
      one.method === asked.method &&
      one.returnUrl === asked.returnUrl &&
      one.cancelUrl === asked.cancelUrl,
  );
  if (!isOpen) refuseTooMany(invoice);
};

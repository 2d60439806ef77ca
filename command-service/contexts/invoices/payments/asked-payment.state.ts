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

/** A double click, or a charge of which the provider has made a session or owes the outcome. */
export const isUnderWay = ({ openAttempt, pending, sessions }: KnownInvoice, attemptId: string): boolean =>
  openAttempt?.attemptId === attemptId ||
  pending?.attemptId === attemptId ||
  sessions.some((session) => session.status === 'open' && session.attemptId === attemptId);

/**
 * The key under which a provider is asked for a session: asked twice, it starts one. What came to nothing counts, so
 * that the same way can be tried again.
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

/** Before a provider is asked: the same session as one that is open is no other. */
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

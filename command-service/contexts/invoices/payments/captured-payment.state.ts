import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import type { KnownInvoice } from '../invoice.state.ts';
import { voidedAuthorizations } from './authorization-events.state.ts';
import { asksBeside, authorizationNamed, type Authorization } from './authorizations.state.ts';
import { paymentInStoreCurrency } from './owed.state.ts';
import { closed, voidedSessions } from './payment-sessions.state.ts';
import { isOnAccount, notOnAccount, type OnAccount } from './purchase-orders.state.ts';

const { PaymentCaptured } = invoiceEvents.create;

export interface PaymentDetails {
  readonly keptMethodId?: string;
  readonly webhookEventId?: string;
  readonly risk?: { score: number; source: string };
  readonly settlement?: { currency: string; amountMinor: number; exchangeRate: string | null };
}

export interface Money extends PaymentDetails {
  readonly attemptId: string | null;
  readonly paymentId: string;
  readonly provider: string;
  readonly method: string;
  readonly transactionId: string;
  readonly amount: number;
  readonly formData: Readonly<Record<string, string>> | null;
  /** Default: now. */
  readonly paidAt?: string;
  readonly sessionId?: string;
}

/** Nothing was left to pay, so the money is owed back (docs/rules/payment-sessions.md#money-too-late-or-twice). */
const isPaidAlready = ({ status, balance, payments }: KnownInvoice): boolean =>
  status === 'open' && balance.balanceDue === 0 && payments.length > 0;

/** Money that was set aside keeps the names under which it was. */
const takenOver = (
  invoice: KnownInvoice,
  { paymentId, attemptId, method, keptMethodId, risk, sessionId }: Authorization,
  money: Money,
) => ({
  paymentId,
  attemptId: money.attemptId ?? attemptId,
  method,
  ...defined({
    keptMethodId: money.keptMethodId ?? keptMethodId ?? undefined,
    risk: money.risk ?? (risk ? { ...risk } : undefined),
    sessionId: money.sessionId ?? sessionId ?? undefined,
  }),
  asksLeft: asksBeside(invoice, paymentId),
});

/** Marks a payment of a sale that was announced before. */
const soldBefore = (invoice: OnAccount) =>
  defined({
    isOnAccount: isOnAccount(invoice) || undefined,
    isSold: invoice.isConfirmed || undefined,
  });

/** The payment, and the end of every session and authorisation that is no longer needed. */
export const captured = (invoice: KnownInvoice, money: Money, now: string): InvoiceEvent[] => {
  const { content, balance, invoiceNumber, status, sessions } = invoice;
  const balanceOf = status === 'open' ? invoiceBalance : closedBalance;
  const paid = balance.amountPaid + money.amount;
  const authorization = authorizationNamed(invoice, money.provider, money.transactionId);
  const paidIn = money.sessionId ?? null;
  const payment = PaymentCaptured({
    invoiceNumber,
    businessDay: content.businessDay,
    ...money,
    ...(authorization && takenOver(invoice, authorization, money)),
    formData: money.formData === null ? null : { ...money.formData },
    amountInStoreCurrency: paymentInStoreCurrency(invoice, money.amount),
    currency: content.currency,
    paidAt: money.paidAt ?? now,
    balance: balanceOf(content.amounts.total, paid, balance.amountRefunded, balance.givenBack),
    ...defined({
      isLate: status !== 'open' || undefined,
      isSurplus: isPaidAlready(invoice) || undefined,
    }),
    ...soldBefore(invoice),
  });
  const ended = sessions.filter((session) => session.sessionId === paidIn && session.status !== 'paid');
  const isPaid = payment.data.balance.balanceDue === 0;
  return [
    payment,
    ...ended.map((session) => closed(session, 'paid', now)),
    ...(isPaid
      ? [
          ...voidedSessions(sessions, now, paidIn),
          ...voidedAuthorizations(invoice, 'system', now, authorization?.paymentId),
        ]
      : []),
  ];
};

/** A free order is paid by a payment of zero (docs/rules/orders.md#balance). */
export const paymentOfNothing = (
  { placementId, invoiceNumber, content }: Pick<KnownInvoice, 'placementId' | 'invoiceNumber' | 'content'>,
  now: string,
  sale: OnAccount = notOnAccount,
): InvoiceEvent => {
  const paymentId = derivedId('payment-of-nothing', placementId);
  return PaymentCaptured({
    invoiceNumber,
    businessDay: content.businessDay,
    attemptId: null,
    paymentId,
    provider: 'none',
    method: 'none',
    transactionId: `none-${paymentId}`,
    amount: 0,
    amountInStoreCurrency: 0,
    currency: content.currency,
    formData: null,
    paidAt: now,
    balance: invoiceBalance(0, 0, 0),
    ...soldBefore(sale),
  });
};

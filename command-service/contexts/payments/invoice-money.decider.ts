import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { Rejection } from '#kernel/rejection.ts';
import { closedBalance, invoiceBalance, type InvoiceBalance } from '#values/invoice-balance.ts';
import { isKnown, type InvoiceState, type KnownInvoice } from '../orders/invoice.state.ts';
import { isBeingSoldOnAccount, isOnAccount } from '../orders/purchase-orders.state.ts';
import { paymentInStoreCurrency } from '../orders/owed.state.ts';
import { closed, voidedSessions } from '../orders/payment-sessions.state.ts';
import { isExpired, type UnpaidLimits } from '../orders/unpaid-invoice.state.ts';

export interface PaymentContext {
  readonly invoiceId: string;
  /** ISO instant. */
  readonly now: string;
  readonly unpaid: UnpaidLimits;
}

const { PaymentCaptured } = invoiceEvents.create;

/**
 * An invoice that may be charged. Its age is looked at here: no job has to have run (docs/rules/checkout.md).
 */
export const payable = (state: InvoiceState, { now, unpaid }: PaymentContext): KnownInvoice => {
  if (!isKnown(state)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
  if (state.status === 'superseded') {
    throw new Rejection(
      'invoice-cancelled',
      'This invoice was replaced by a newer one. Start the payment again.',
    );
  }
  if (state.status === 'deleted') throw new Rejection('invoice-not-found', 'There is no such invoice.');
  if (state.status === 'cancelled' && state.isByStaff)
    throw new Rejection('invoice-cancelled', 'This order has been cancelled.');
  if (state.status === 'cancelled' || isExpired(state, Date.parse(now), unpaid)) {
    throw new Rejection('invoice-cancelled', 'This invoice has expired. Start the payment again.');
  }
  if (state.balance.balanceDue === 0 && state.payments.length > 0) {
    throw new Rejection('invoice-already-paid', 'This invoice has been paid already.');
  }
  refuseWhileSold(state);
  return state;
};

/** While a provider owes an outcome nobody else is asked (docs/rules/payment-sessions.md#pending). */
export const otherAttemptOpen = (): Rejection =>
  new Rejection(
    'payment-unknown',
    'The outcome of another payment of this invoice is not known yet. Wait a moment and try again.',
  );

/** Errors: Rejection `payment-unknown` from the request for a purchase order to the announced sale. */
export const refuseWhileSold = (invoice: KnownInvoice): void => {
  if (isBeingSoldOnAccount(invoice)) throw otherAttemptOpen();
};

/** The balance of an invoice that somebody has begun to pay: nothing of it is there yet. */
export const awaitingPayment = ({ balance }: KnownInvoice): InvoiceBalance =>
  balance.paymentStatus === 'Unpaid' ? { ...balance, paymentStatus: 'AwaitingPayment' } : balance;

/** Errors: Rejection `payment-unknown`. */
export const refuseWhileOwed = ({ openAttempt, pending }: KnownInvoice): void => {
  if (openAttempt ?? pending) throw otherAttemptOpen();
};

/** A payment that has been made. */
export interface Money {
  readonly attemptId: string | null;
  readonly paymentId: string;
  readonly provider: string;
  readonly method: string;
  readonly transactionId: string;
  readonly amount: number;
  readonly formData: Readonly<Record<string, string>> | null;
  /** When it arrived; now where nobody says so. */
  readonly paidAt?: string;
  readonly sessionId?: string;
  readonly keptMethodId?: string;
  readonly webhookEventId?: string;
  readonly risk?: { score: number; source: string };
  readonly settlement?: { currency: string; amountMinor: number; exchangeRate: string | null };
}

/** Nothing was left to pay: what comes on top is owed back (docs/rules/payment-sessions.md#money-too-late-or-twice). */
const isPaidAlready = ({ status, balance, payments }: KnownInvoice): boolean =>
  status === 'open' && balance.balanceDue === 0 && payments.length > 0;

/** The payment, and the end of every session that nobody needs after it. */
export const captured = (invoice: KnownInvoice, money: Money, now: string): InvoiceEvent[] => {
  const { content, balance, invoiceNumber, status, sessions, isConfirmed } = invoice;
  const balanceOf = status === 'open' ? invoiceBalance : closedBalance;
  const paid = balance.amountPaid + money.amount;
  const paidIn = money.sessionId ?? null;
  const payment = PaymentCaptured({
    invoiceNumber,
    businessDay: content.businessDay,
    ...money,
    formData: money.formData === null ? null : { ...money.formData },
    amountInStoreCurrency: paymentInStoreCurrency(invoice, money.amount),
    currency: content.currency,
    paidAt: money.paidAt ?? now,
    balance: balanceOf(content.amounts.total, paid, balance.amountRefunded, balance.givenBack),
    ...(status === 'open' ? {} : { isLate: true as const }),
    ...(isPaidAlready(invoice) ? { isSurplus: true as const } : {}),
    ...(isOnAccount(invoice) ? { isOnAccount: true as const } : {}),
    ...(isConfirmed ? { isSold: true as const } : {}),
  });
  const ended = sessions.filter((session) => session.sessionId === paidIn && session.status !== 'paid');
  const isPaid = payment.data.balance.balanceDue === 0;
  return [
    payment,
    ...ended.map((session) => closed(session, 'paid', now)),
    ...(isPaid ? voidedSessions(sessions, now, paidIn) : []),
  ];
};

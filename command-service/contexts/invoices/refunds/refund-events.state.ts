import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { laterSourceTypeOf } from '#events/sale-figures.ts';
import { defined } from '#kernel/defined.ts';
import { notFound } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { beyondCredit, closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { scale, type Minor } from '#values/money.ts';
import { saleOf } from '../closing.state.ts';
import { owedPayments, type KnownInvoice, type Payment } from '../invoice.state.ts';
import {
  refundedInStoreCurrencyOf,
  refundedOf,
  refundType,
  type ClaimingRefund,
  type Refund,
} from './refunds.state.ts';

const { PaymentRefunded, RefundDeclined, RefundFailed } = invoiceEvents.create;

/** The number of refunds still to be asked for, apart from this one. */
export const openBeside = (
  { payments, refunds }: KnownInvoice,
  refundId: string,
  ended: Omit<ClaimingRefund, 'isOwed'>,
): number => {
  const others = refunds.filter((refund) => refund.refundId !== refundId);
  const isOwed =
    refundId === owedRefundId(ended.paymentId) ||
    refunds.some((refund) => refund.refundId === refundId && refund.isOwed);
  const toCome = owedPayments({ payments, refunds: [...others, { ...ended, isOwed }] });
  const asked = others.filter(({ status, transactionId }) => status === 'underWay' && transactionId === null);
  return asked.length + toCome.length;
};

/** The reason given for refunding an overpayment: every ask must use the same words. */
export const OWED_REASON = 'The payment came when nothing was to be paid any more.';

/** Every ask to refund an overpayment shares this id (docs/rules/refunds.md). */
export const owedRefundId = (paymentId: string): string => refundIdOf(paymentId, paymentId);

export const refundIdOf = (paymentId: string, key: string): string => derivedId('refund', paymentId, key);

export interface Given extends Pick<Refund, 'refundId' | 'amount' | 'provider' | 'reason'> {
  readonly transactionId: string;
  readonly by: string;
}

/** Whether reports follow, and whose figures; `givenBack`: by how much its returns change. */
const ofSale = (invoice: KnownInvoice, givenBack: Minor) =>
  invoice.status === 'open' && invoice.isConfirmed
    ? {
        isOfSale: true as const,
        ...laterSourceTypeOf(invoice.content),
        ...(givenBack > 0 && { saleBefore: saleOf(invoice) }),
      }
    : {};

export const refunded = (
  invoice: KnownInvoice,
  payment: Payment,
  given: Given,
  now: string,
): InvoiceEvent => {
  const { content, balance, invoiceNumber, status } = invoice;
  const { refundId, amount, provider, reason, transactionId, by } = given;
  const { paymentId } = payment;
  // The refunds of a payment add up to it in the store's currency, whatever the rounding.
  const inStore = (sum: Minor): Minor =>
    sum === payment.amount
      ? payment.amountInStoreCurrency
      : scale(payment.amountInStoreCurrency, sum, payment.amount);
  const { refunds } = invoice;
  const amountInStoreCurrency =
    inStore(refundedOf(refunds, paymentId) + amount) - refundedInStoreCurrencyOf(refunds, paymentId);
  const givenBack = beyondCredit(balance, amount);
  const givenBackInStoreCurrency =
    givenBack === amount ? amountInStoreCurrency : scale(amountInStoreCurrency, givenBack, amount);
  const balanceOf = status === 'open' ? invoiceBalance : closedBalance;
  return PaymentRefunded({
    invoiceNumber,
    businessDay: content.businessDay,
    ...{ refundId, paymentId, provider, amount, by, reason, transactionId, amountInStoreCurrency, givenBack },
    currency: content.currency,
    paymentType: refundType(amount, payment.amount),
    givenBackInStoreCurrency,
    ...ofSale(invoice, givenBackInStoreCurrency),
    balance: balanceOf(
      content.amounts.total,
      balance.amountPaid,
      balance.amountRefunded + amount,
      balance.givenBack + givenBack,
    ),
    refundedAt: now,
    openRefunds: openBeside(invoice, refundId, { paymentId, amount, status: 'done' }),
  });
};

export const declined = (
  invoice: KnownInvoice,
  refund: Pick<Refund, 'refundId' | 'paymentId' | 'provider' | 'amount' | 'currency' | 'transactionId'>,
  { code, message, by }: { readonly code: string; readonly message: string; readonly by: string },
  now: string,
): InvoiceEvent => {
  const { refundId, paymentId, provider, amount, currency, transactionId } = refund;
  const { invoiceNumber } = invoice;
  return RefundDeclined({
    ...{ refundId, paymentId, provider, amount, currency, by, code, message },
    declinedAt: now,
    openRefunds: openBeside(invoice, refundId, { paymentId, amount, status: 'declined' }),
    ...defined({ wasPending: transactionId === null ? undefined : { invoiceNumber } }),
  });
};

/**
 * What still counts of the amount given back: a total lowered since has lowered that first
 * (docs/rules/orders.md#balance).
 */
const stillGivenBack = (
  { balance, returns, status }: KnownInvoice,
  { back, backInStoreCurrency }: NonNullable<Refund['given']>,
): { readonly back: Minor; readonly inStoreCurrency: Minor } => {
  if (balance.givenBack > back) return { back, inStoreCurrency: backInStoreCurrency };
  if (status === 'open') return { back: balance.givenBack, inStoreCurrency: returns };
  const inStoreCurrency = back === 0 ? 0 : scale(backInStoreCurrency, balance.givenBack, back);
  return { back: balance.givenBack, inStoreCurrency };
};

/** Reverses a refund that was recorded as done. */
export const failed = (
  invoice: KnownInvoice,
  refund: Refund & { readonly given: NonNullable<Refund['given']> },
  message: string,
  now: string,
): InvoiceEvent => {
  const { content, balance, invoiceNumber, status } = invoice;
  const { refundId, paymentId, provider, amount, currency, by, transactionId, given } = refund;
  const { back, inStoreCurrency } = stillGivenBack(invoice, given);
  const balanceOf = status === 'open' ? invoiceBalance : closedBalance;
  return RefundFailed({
    invoiceNumber,
    businessDay: content.businessDay,
    ...{ refundId, paymentId, provider, amount, currency, by, message },
    transactionId: transactionId ?? '',
    amountInStoreCurrency: given.inStoreCurrency,
    givenBackInStoreCurrency: inStoreCurrency,
    ...ofSale(invoice, inStoreCurrency),
    balance: balanceOf(
      content.amounts.total,
      balance.amountPaid,
      balance.amountRefunded - amount,
      balance.givenBack - back,
    ),
    failedAt: now,
  });
};

/** Errors: `refund-not-possible` if the id is a refund's, `entity-not-found`. */
export const paymentOf = ({ payments, refunds }: KnownInvoice, paymentId: string): Payment => {
  const payment = payments.find((made) => made.paymentId === paymentId);
  if (payment) return payment;
  if (refunds.some(({ refundId }) => refundId === paymentId))
    throw new Rejection('refund-not-possible', 'A refund cannot be refunded.');
  throw notFound('payment');
};

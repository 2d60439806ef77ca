import { formatMoney } from '#values/money.ts';
import type { EventOfType, OrderFacts } from './order-fold.ts';
import type { OrderDocument, OrderPayment } from './order.document.ts';

/** Notes of an invoice: the newest. */
export const NOTES = 200;

export const withNote = (
  document: OrderDocument,
  date: string,
  text: string,
  author = 'System',
): OrderDocument => ({
  ...document,
  notes: [...document.notes, { date, text, author, isVisibleToCustomer: false }].slice(-NOTES),
});

export const riskAssessed = (
  document: OrderDocument | null,
  { recordedAt, data: { paymentId, risk } }: EventOfType<'PaymentRiskAssessed'>,
): OrderFacts | null =>
  document && {
    ...document,
    dateUpdated: recordedAt,
    payments: document.payments.map((made) => (made.paymentId === paymentId ? { ...made, risk } : made)),
  };

export const paid = (
  document: OrderDocument | null,
  event: EventOfType<'PaymentCaptured'>,
): OrderFacts | null => {
  if (!document) return null;
  const { paymentId, provider, method, transactionId, amount, amountInStoreCurrency, paidAt, balance } =
    event.data;
  const { currency, risk = null, isLate, isSurplus } = event.data;
  const payment: OrderPayment = {
    ...{ paymentId, parentPaymentId: null, paymentType: 'Payment' },
    ...{ provider, method, transactionId, amount, paidAt, risk },
  };
  const why = isLate
    ? ' It came when the invoice was closed.'
    : isSurplus
      ? ' The invoice was paid already.'
      : '';
  const text = `Payment of ${formatMoney(amount, currency)} received (${provider}).${why}`;
  return {
    ...withNote(document, paidAt, text),
    dateUpdated: event.recordedAt,
    balance,
    payments: [...document.payments, payment],
    keptInStoreCurrency: document.keptInStoreCurrency + amountInStoreCurrency,
  };
};

export const refunded = (
  document: OrderDocument | null,
  { recordedAt, data }: EventOfType<'PaymentRefunded'>,
): OrderFacts | null => {
  if (!document) return null;
  const { refundId, paymentId, paymentType, provider, transactionId, amount, currency, refundedAt } = data;
  const { amountInStoreCurrency, givenBackInStoreCurrency, balance, reason, by } = data;
  const payment: OrderPayment = {
    ...{ paymentId: refundId, parentPaymentId: paymentId, paymentType, provider, method: null },
    ...{ transactionId, amount: -amount, paidAt: refundedAt, risk: null },
  };
  const text = `${formatMoney(amount, currency)} refunded (${provider}): ${reason ?? '-'}`;
  return {
    ...withNote(document, refundedAt, text, by),
    dateUpdated: recordedAt,
    balance,
    payments: [...document.payments, payment],
    keptInStoreCurrency: document.keptInStoreCurrency - amountInStoreCurrency + givenBackInStoreCurrency,
  };
};

/** A refund that was done, and counts no more. */
export const refundFailed = (
  document: OrderDocument | null,
  { recordedAt, data }: EventOfType<'RefundFailed'>,
): OrderFacts | null => {
  if (!document) return null;
  const { refundId, provider, amount, currency, message, failedAt, balance } = data;
  const { amountInStoreCurrency, givenBackInStoreCurrency } = data;
  const text = `${formatMoney(amount, currency)} could not be refunded after all (${provider}): ${message}`;
  return {
    ...withNote(document, failedAt, text),
    dateUpdated: recordedAt,
    balance,
    payments: document.payments.filter(({ paymentId }) => paymentId !== refundId),
    keptInStoreCurrency: document.keptInStoreCurrency + amountInStoreCurrency - givenBackInStoreCurrency,
  };
};

import type { EventOfType, OrderFacts } from './order-fold.ts';
import type { OrderDocument, OrderPayment } from './order.document.ts';

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
  const { risk = null } = event.data;
  const payment: OrderPayment = {
    ...{ paymentId, parentPaymentId: null, paymentType: 'Payment' },
    ...{ provider, method, transactionId, amount, paidAt, risk },
  };
  return {
    ...document,
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
  const { refundId, paymentId, paymentType, provider, transactionId, amount, refundedAt } = data;
  const { amountInStoreCurrency, givenBackInStoreCurrency, balance } = data;
  const payment: OrderPayment = {
    ...{ paymentId: refundId, parentPaymentId: paymentId, paymentType, provider, method: null },
    ...{ transactionId, amount: -amount, paidAt: refundedAt, risk: null },
  };
  return {
    ...document,
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
  const { refundId, balance } = data;
  const { amountInStoreCurrency, givenBackInStoreCurrency } = data;
  return {
    ...document,
    dateUpdated: recordedAt,
    balance,
    payments: document.payments.filter(({ paymentId }) => paymentId !== refundId),
    keptInStoreCurrency: document.keptInStoreCurrency + amountInStoreCurrency - givenBackInStoreCurrency,
  };
};

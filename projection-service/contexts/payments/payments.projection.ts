import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import type { Minor } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';

/** A payment, a refund, or an attempt at a payment, under its id. Amounts in minor units; of refunds negative. */
export interface PaymentDocument extends Document {
  readonly invoiceId: string;
  /** Of a refund: the payment. */
  readonly parentPaymentId: string | null;
  readonly paymentType: 'Payment' | 'Refund' | 'PartialRefund';
  readonly status: 'Pending' | 'Authorized' | 'Completed' | 'Failed' | 'Cancelled';
  readonly amount: Minor;
  readonly currency: string;
  /** Null while no money has come of it. */
  readonly amountInStoreCurrency: Minor | null;
  readonly provider: string;
  readonly method: string | null;
  readonly transactionId: string | null;
  /** For people: what staff noted, why it was refunded, or why it failed. */
  readonly description: string | null;
  readonly dateCreated: string;
  /** Of what is authorised: until when it can be captured; null where the provider does not say. */
  readonly authorizedUntil: string | null;
  /** What of a payment has been given back. */
  readonly refunded: Minor;
  readonly risk: { readonly score: number; readonly source: string } | null;
  readonly settlement: {
    readonly currency: string;
    readonly amountMinor: Minor;
    readonly exchangeRate: string | null;
  } | null;
  /** The last one; null where there was none. */
  readonly dispute: {
    readonly status: 'opened' | 'won' | 'lost';
    readonly id: string;
    readonly amount: Minor | null;
    readonly openedAt: string;
  } | null;
}

type EventOfType<Type extends InvoiceEvent['type']> = Recorded<
  Extract<InvoiceEvent, { readonly type: Type }>
>;

const blank = {
  parentPaymentId: null,
  paymentType: 'Payment',
  status: 'Pending',
  amountInStoreCurrency: null,
  method: null,
  transactionId: null,
  description: null,
  authorizedUntil: null,
  refunded: 0,
  risk: null,
  settlement: null,
  dispute: null,
} as const;

const attempted = ({ stream, recordedAt, data }: EventOfType<'PaymentAttempted'>): PaymentDocument => {
  const { attemptId, provider, method, amount, currency, attemptedAt } = data;
  const money = { amount, currency, provider, method };
  return {
    ...blank,
    _id: attemptId,
    invoiceId: idOf(stream),
    ...money,
    dateCreated: attemptedAt ?? recordedAt,
  };
};

const authorized = ({ stream, data }: EventOfType<'PaymentAuthorized'>): PaymentDocument => {
  const { paymentId, provider, method, transactionId, amount, currency, authorizedAt, expiresAt } = data;
  return {
    ...blank,
    _id: paymentId,
    invoiceId: idOf(stream),
    status: 'Authorized',
    ...{ amount, currency, provider, method, transactionId, risk: data.risk ?? null },
    authorizedUntil: expiresAt,
    dateCreated: authorizedAt,
  };
};

const captured = ({ stream, data }: EventOfType<'PaymentCaptured'>): PaymentDocument => {
  const { paymentId, provider, method, transactionId, amount, amountInStoreCurrency, currency } = data;
  const { formData, paidAt, risk = null, settlement = null } = data;
  return {
    ...blank,
    _id: paymentId,
    invoiceId: idOf(stream),
    status: 'Completed',
    ...{ amount, currency, amountInStoreCurrency, provider, method, transactionId, risk, settlement },
    description: formData?.['description'] ?? formData?.['reference'] ?? null,
    dateCreated: paidAt,
  };
};

const refunded = ({ stream, data }: EventOfType<'PaymentRefunded'>): PaymentDocument => {
  const { refundId, paymentId, paymentType, amount, amountInStoreCurrency, currency, provider } = data;
  const { transactionId, reason, refundedAt } = data;
  return {
    ...blank,
    _id: refundId,
    invoiceId: idOf(stream),
    parentPaymentId: paymentId,
    status: 'Completed',
    ...{ paymentType, currency, provider, transactionId },
    amount: -amount,
    amountInStoreCurrency: -amountInStoreCurrency,
    description: reason,
    dateCreated: refundedAt,
  };
};

const failed = (document: PaymentDocument | null, description: string | null): PaymentDocument | null =>
  document && { ...document, status: 'Failed', description };

/** What the provider said of a payment that no attempt stands for. */
const failedAlone = (
  { stream }: Pick<Recorded, 'stream'>,
  { paymentId, amount, currency }: NonNullable<EventOfType<'PaymentDeclined'>['data']['failed']>,
  said: Pick<PaymentDocument, 'provider' | 'method' | 'transactionId' | 'description' | 'dateCreated'>,
): PaymentDocument => ({
  ...blank,
  _id: paymentId,
  invoiceId: idOf(stream),
  status: 'Failed',
  ...{ amount, currency },
  ...said,
});

const declined = (
  document: PaymentDocument | null,
  event: EventOfType<'PaymentDeclined'>,
): PaymentDocument | null => {
  const { provider, method, transactionId = null, message: description, endedAt, failed: alone } = event.data;
  const dateCreated = endedAt ?? event.recordedAt;
  return alone
    ? failedAlone(event, alone, { provider, method, transactionId, description, dateCreated })
    : failed(document, description);
};

/** Of a charge that went on as a session, or of a session that failed by itself. */
const sessionClosed = (document: PaymentDocument | null, event: EventOfType<'PaymentSessionClosed'>) => {
  const { provider, method, sessionId: transactionId, reason, message, closedAt, failed: alone } = event.data;
  const description = message ?? null;
  if (alone)
    return failedAlone(event, alone, { provider, method, transactionId, description, dateCreated: closedAt });
  if (reason === 'voided') return remove;
  return reason === 'paid' ? document : failed(document, description);
};

/** What staff noted, or why it was refunded, may name the buyer; what providers say of a failure does not. */
const forgotten = (document: PaymentDocument | null): PaymentDocument | null =>
  document && (document.status === 'Completed' || document.status === 'Pending')
    ? { ...document, description: null }
    : document;

/** The attempt that an event is about; none where nothing that the shop had begun. */
const attemptOf = (attemptId: string | null): string[] => (attemptId === null ? [] : [attemptId]);

type PaymentEvent = Extract<
  InvoiceEvent,
  {
    readonly type:
      | 'PaymentAttempted'
      | 'PaymentAttemptMatched'
      | 'PaymentRiskAssessed'
      | 'PaymentAuthorized'
      | 'AuthorizationReleased'
      | 'PaymentCaptured'
      | 'PaymentDeclined'
      | 'PaymentNotAttempted'
      | 'PaymentSessionClosed'
      | 'RefundAttempted'
      | 'RefundPending'
      | 'PaymentRefunded'
      | 'RefundDeclined'
      | 'RefundFailed'
      | 'DisputeOpened'
      | 'DisputeResolved'
      | 'InvoiceDeleted'
      | 'InvoiceForgotten';
  }
>;

const keysOf = (event: Recorded<PaymentEvent>): readonly string[] => {
  switch (event.type) {
    case 'PaymentAuthorized':
    case 'PaymentCaptured':
      return [event.data.paymentId, ...attemptOf(event.data.attemptId)];
    case 'PaymentRefunded':
    case 'RefundFailed':
      return [event.data.refundId, event.data.paymentId];
    case 'PaymentRiskAssessed':
    case 'AuthorizationReleased':
    case 'DisputeOpened':
    case 'DisputeResolved':
      return [event.data.paymentId];
    case 'InvoiceDeleted':
    case 'InvoiceForgotten':
      return event.data.paymentIds;
    case 'RefundAttempted':
    case 'RefundPending':
    case 'RefundDeclined':
      return [event.data.refundId];
    case 'PaymentDeclined':
    case 'PaymentSessionClosed':
      return attemptOf(event.data.attemptId ?? event.data.failed?.paymentId ?? null);
    default:
      return attemptOf(event.data.attemptId);
  }
};

/** Payments and refunds by their ids (docs/rules/payments.md#list). */
export const paymentsProjection = projection<PaymentEvent>()<PaymentDocument>({
  name: 'payments',
  version: 6,
  indexes: [{ fields: ['invoiceId', 'dateCreated'] }],
  keys: keysOf,
  on: {
    InvoiceDeleted: () => remove,
    InvoiceForgotten: forgotten,
    PaymentAttempted: (_, event) => attempted(event),
    // The payment stands for its attempt, and so does what is set aside for it.
    PaymentAuthorized: (_, event, key) => (key === event.data.paymentId ? authorized(event) : remove),
    AuthorizationReleased: (document, { data: { reason } }) =>
      document && {
        ...document,
        status: 'Cancelled',
        authorizedUntil: null,
        description: reason === 'expired' ? 'The authorisation has expired.' : 'Voided.',
      },
    PaymentCaptured: (_, event, key) => (key === event.data.paymentId ? captured(event) : remove),
    PaymentAttemptMatched: () => remove,
    PaymentNotAttempted: () => remove,
    PaymentDeclined: declined,
    PaymentSessionClosed: sessionClosed,
    RefundAttempted: (_, { stream, data }) => {
      const { refundId, paymentId, provider, amount, currency, reason, attemptedAt } = data;
      return {
        ...blank,
        _id: refundId,
        invoiceId: idOf(stream),
        parentPaymentId: paymentId,
        paymentType: 'Refund',
        ...{ provider, currency },
        amount: -amount,
        description: reason,
        dateCreated: attemptedAt,
      };
    },
    PaymentRiskAssessed: (document, { data: { risk } }) => document && { ...document, risk },
    DisputeOpened: (document, { data: { disputeId: id, amount, openedAt } }) =>
      document && { ...document, dispute: { status: 'opened', id, amount, openedAt } },
    DisputeResolved: (document, { data: { disputeId, outcome: status } }) =>
      document?.dispute?.id === disputeId
        ? { ...document, dispute: { ...document.dispute, status } }
        : document,
    RefundPending: (document, { data: { transactionId } }) => document && { ...document, transactionId },
    RefundDeclined: (document, { data: { message } }) => failed(document, message),
    RefundFailed: (document, { data: { refundId, message, amount } }, key) =>
      key === refundId
        ? failed(document, message)
        : document && { ...document, refunded: document.refunded - amount },
    PaymentRefunded: (document, event, key) =>
      key === event.data.refundId
        ? refunded(event)
        : document && { ...document, refunded: document.refunded + event.data.amount },
  },
});

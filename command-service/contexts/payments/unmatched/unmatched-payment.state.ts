import type { UnmatchedPaymentEvent } from '#events/unmatched-payment.events.ts';
import type { Evolution } from '#kernel/evolution.ts';
import type { Minor } from '#values/money.ts';

/** What the provider has been asked to give back. */
export interface AskedRefund {
  readonly refundId: string;
  readonly amount: Minor;
  /** The provider's name of it, once it has taken it on; null: it has yet to answer. */
  readonly transactionId: string | null;
}

export interface KnownUnmatchedPayment {
  readonly status: 'open' | 'matched' | 'placed' | 'refunded';
  readonly provider: string;
  readonly transactionId: string;
  readonly amount: Minor;
  readonly currency: string;
  readonly namedInvoiceId: string | null;
  readonly receivedAt: string;
  /** The invoice that it is for; null: unknown. */
  readonly invoiceId: string | null;
  /** What has not been given back. */
  readonly left: Minor;
  readonly refund: AskedRefund | null;
  /** What each has given back, by the provider's names of them; 0: it has failed. */
  readonly given: Readonly<Record<string, Minor>>;
  /** How often one was asked for: each has a key of its own. */
  readonly refundsAsked: number;
  /** Why the last one failed; null: none has, or another was asked for since. */
  readonly problem: string | null;
}

/** Money without an invoice; null: none was reported. */
export type UnmatchedPayment = KnownUnmatchedPayment | null;

const known = (
  state: UnmatchedPayment,
  changed: (payment: KnownUnmatchedPayment) => Partial<KnownUnmatchedPayment>,
): UnmatchedPayment => state && { ...state, ...changed(state) };

/** Whether this is the refund that was asked for, told of before it was answered, and none beside it. */
const isAnswer = (asked: AskedRefund, transactionId: string, amount: Minor): boolean =>
  asked.transactionId === null ? asked.amount === amount : asked.transactionId === transactionId;

export const onUnmatchedPaymentEvents: Evolution<UnmatchedPayment, UnmatchedPaymentEvent> = {
  UnmatchedPaymentReceived: (_state, { data }) => {
    const nothingDone = {
      invoiceId: null,
      left: data.amount,
      refund: null,
      given: {},
      refundsAsked: 0,
      problem: null,
    };
    return { status: 'open', ...data, ...nothingDone };
  },
  UnmatchedPaymentMatched: (state, { data: { invoiceId } }) =>
    known(state, () => ({ status: 'matched', invoiceId })),
  UnmatchedPaymentPlaced: (state, { data: { invoiceId } }) =>
    known(state, () => ({ status: 'placed', invoiceId })),
  UnmatchedRefundAttempted: (state, { data: { refundId, amount } }) =>
    known(state, ({ refundsAsked }) => ({
      refund: { refundId, amount, transactionId: null },
      refundsAsked: refundsAsked + 1,
      problem: null,
    })),
  UnmatchedRefundPending: (state, { data: { transactionId } }) =>
    known(state, ({ refund }) => ({ refund: refund && { ...refund, transactionId } })),
  UnmatchedPaymentRefunded: (state, { data: { transactionId, amount, left } }) =>
    known(state, ({ given, status, refund }) => ({
      status: left === 0 && status === 'open' ? 'refunded' : status,
      left,
      refund: refund && isAnswer(refund, transactionId, amount) ? null : refund,
      given: { ...given, [transactionId]: amount },
    })),
  UnmatchedRefundFailed: (state, { data: { refund, left, message: problem } }) =>
    known(state, ({ status, given }) => ({
      status: status === 'refunded' ? 'open' : status,
      left,
      refund: null,
      problem,
      // It stays failed, whatever is told of it later.
      given: refund === null ? given : { ...given, [refund]: 0 },
    })),
};

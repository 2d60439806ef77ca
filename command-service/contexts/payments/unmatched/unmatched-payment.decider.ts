import { unmatchedPaymentEvents, type UnmatchedPaymentEvent } from '#events/unmatched-payment.events.ts';
import { decideBy, type Decider, type Rules } from '#kernel/decider.ts';
import { notFound } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { UnmatchedPaymentCommand } from './unmatched-payment.commands.ts';
import {
  onUnmatchedPaymentEvents,
  type KnownUnmatchedPayment,
  type UnmatchedPayment,
} from './unmatched-payment.state.ts';

export interface UnmatchedPaymentContext {
  readonly id: string;
  readonly now: string;
}

type Decide<Type extends UnmatchedPaymentCommand['type']> = Rules<
  UnmatchedPayment,
  UnmatchedPaymentCommand,
  UnmatchedPaymentEvent,
  UnmatchedPaymentContext
>[Type];

const {
  UnmatchedPaymentReceived,
  UnmatchedPaymentMatched,
  UnmatchedPaymentPlaced,
  UnmatchedRefundAttempted,
  UnmatchedRefundPending,
  UnmatchedPaymentRefunded,
  UnmatchedRefundFailed,
} = unmatchedPaymentEvents.create;

/** Errors: `entity-not-found`. */
const existing = (state: UnmatchedPayment): KnownUnmatchedPayment => {
  if (state === null) throw notFound('payment');
  return state;
};

const settled = (message: string): Rejection => new Rejection('unmatched-payment-settled', message);

const receive: Decide<'ReceiveUnmatchedPayment'> = (state, { type: _, ...payment }, { now }) =>
  state ? [] : [UnmatchedPaymentReceived({ ...payment, receivedAt: now })];

const match: Decide<'MatchUnmatchedPayment'> = (state, { invoiceId, by }, { now }) => {
  const payment = existing(state);
  const { status, refund, left, amount } = payment;
  if (payment.invoiceId === invoiceId) return [];
  if (payment.invoiceId !== null) throw settled(`The payment is for the invoice ${payment.invoiceId}.`);
  if (status === 'refunded') throw settled('The payment has been given back.');
  if (refund || left < amount) throw settled('The payment is being given back.');
  return [UnmatchedPaymentMatched({ invoiceId, by, matchedAt: now })];
};

const notePlaced: Decide<'NoteUnmatchedPaymentPlaced'> = (state, { invoiceId }, { now }) =>
  state === null || state.status === 'placed' ? [] : [UnmatchedPaymentPlaced({ invoiceId, placedAt: now })];

const refund: Decide<'RefundUnmatchedPayment'> = (state, { by }, { id, now }) => {
  const payment = existing(state);
  const { status, left: amount, refundsAsked } = payment;
  if (payment.refund || status === 'refunded') return [];
  if (status !== 'open')
    throw settled(`The payment is for the invoice ${payment.invoiceId}: give it back there.`);
  const refundId = derivedId('unmatched-refund', id, refundsAsked);
  return [UnmatchedRefundAttempted({ refundId, amount, by, attemptedAt: now })];
};

const refunded = (
  { left, given }: KnownUnmatchedPayment,
  transactionId: string,
  amount: number,
  now: string,
): UnmatchedPaymentEvent[] => {
  if (given[transactionId] !== undefined) return [];
  const back = Math.min(amount, left);
  return [UnmatchedPaymentRefunded({ transactionId, amount: back, left: left - back, refundedAt: now })];
};

/** One that is on an invoice by now is that invoice's business. */
const failed = (
  { status, provider, transactionId, amount, currency, namedInvoiceId, receivedAt }: KnownUnmatchedPayment,
  how: { readonly refund: string | null; readonly left: number; readonly message: string },
  failedAt: string,
): UnmatchedPaymentEvent[] => {
  const payment = { provider, transactionId, amount, currency, namedInvoiceId, receivedAt };
  return status === 'placed' ? [] : [UnmatchedRefundFailed({ ...payment, ...how, failedAt })];
};

const recordRefund: Decide<'RecordUnmatchedRefund'> = (state, { refundId, outcome }, { now }) => {
  if (state?.refund?.refundId !== refundId) return [];
  const { amount, transactionId } = state.refund;
  switch (outcome.kind) {
    case 'completed':
      return refunded(state, outcome.transactionId, amount, now);
    case 'pending':
      return transactionId === null
        ? [UnmatchedRefundPending({ refundId, transactionId: outcome.transactionId, pendingSince: now })]
        : [];
    case 'refused':
      return failed(state, { refund: transactionId, left: state.left, message: outcome.message }, now);
  }
};

const reportRefund: Decide<'ReportUnmatchedRefund'> = (
  state,
  { transactionId, amount, failure },
  { now },
) => {
  if (state === null) return [];
  const { left, given, refund: asked } = state;
  if (failure === null) return refunded(state, transactionId, amount ?? asked?.amount ?? left, now);
  const back = given[transactionId];
  const as = { refund: transactionId, message: failure };
  if (back !== undefined) return back === 0 ? [] : failed(state, { ...as, left: left + back }, now);
  return asked?.transactionId === transactionId ? failed(state, { ...as, left }, now) : [];
};

/** Money that no invoice is paid by (docs/rules/unmatched-payments.md). */
export const unmatchedPaymentDecider: Decider<
  UnmatchedPayment,
  UnmatchedPaymentCommand,
  UnmatchedPaymentEvent,
  UnmatchedPaymentContext
> = {
  category: 'unmatchedPayment',
  initial: () => null,
  decide: decideBy({
    ReceiveUnmatchedPayment: receive,
    MatchUnmatchedPayment: match,
    NoteUnmatchedPaymentPlaced: notePlaced,
    RefundUnmatchedPayment: refund,
    RecordUnmatchedRefund: recordRefund,
    ReportUnmatchedRefund: reportRefund,
  }),
  on: onUnmatchedPaymentEvents,
  remembersCommands: true,
};

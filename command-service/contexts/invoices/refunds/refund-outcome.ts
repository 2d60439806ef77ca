import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { notFound } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { formatMoney } from '#values/money.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { noted } from '../invoice-rules.ts';
import type { KnownInvoice } from '../invoice.state.ts';
import type { Payment } from '../payments/payments.state.ts';
import { refundedOf, type Refund } from './refunds.state.ts';
import type {
  AwaitRefund,
  CompleteRefund,
  DeclineRefund,
  FailProviderRefund,
  GiveUpRefund,
  RecordProviderRefund,
} from './refund.commands.ts';
import { declined, failed, openBeside, paymentOf, refunded, type Given } from './refund-events.state.ts';

const { RefundPending } = invoiceEvents.create;

const find = ({ refunds }: KnownInvoice, refundId: string): Refund | undefined =>
  refunds.find((refund) => refund.refundId === refundId);

/** A refund by the provider's id. */
const named = ({ refunds }: KnownInvoice, paymentId: string, transactionId: string): Refund | undefined =>
  refunds.find((one) => one.paymentId === paymentId && one.transactionId === transactionId);

/** Records a refund up to what is left of the payment; an excess is noted. */
const givenByProvider = (
  invoice: KnownInvoice,
  payment: Payment,
  given: Given,
  now: string,
): InvoiceEvent[] => {
  const { paymentId } = payment;
  const { amount: told, provider, transactionId } = given;
  const left = payment.amount - refundedOf(invoice.refunds, paymentId);
  const amount = Math.min(told, left);
  const surplus = told - amount;
  const { currency } = invoice.content;
  const text =
    `${provider} says that ${formatMoney(told, currency)} were refunded as ${transactionId}: ` +
    `${formatMoney(surplus, currency)} more than was left of the payment. Only what was left is recorded.`;
  const noteId = derivedId('refund-surplus', paymentId, provider, transactionId);
  return [
    ...(amount > 0 ? [refunded(invoice, payment, { ...given, amount }, now)] : []),
    ...(surplus > 0 ? noted(invoice, { noteId, text, author: provider }, now) : []),
  ];
};

/** Declines the refund that was asked for if nothing of it could be recorded. */
const ending = (
  invoice: KnownInvoice,
  asked: Refund | undefined,
  events: InvoiceEvent[],
  now: string,
): InvoiceEvent[] => {
  if (asked?.status !== 'underWay' || events.some(({ type }) => type === 'PaymentRefunded')) return events;
  const message = 'Nothing was left of the payment when the provider answered.';
  const no = { code: 'surplus', message, by: asked.by };
  return [...events, declined(invoice, { ...asked, transactionId: null }, no, now)];
};

export const complete = (
  invoice: KnownInvoice,
  { refundId, transactionId }: CompleteRefund,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const refund = find(invoice, refundId);
  if (!refund) return [];
  const known = named(invoice, refund.paymentId, transactionId);
  if (known && (known !== refund || refund.status !== 'underWay')) return [];
  const { amount, provider, reason } = refund;
  const payment = paymentOf(invoice, refund.paymentId);
  // The provider has reported another refund of this amount first: this is a further one.
  const id = refund.status === 'done' ? derivedId('refund', refundId, transactionId) : refundId;
  const given = { refundId: id, amount, provider, reason, transactionId, by: refund.by };
  return ending(invoice, refund, givenByProvider(invoice, payment, given, now), now);
};

/** The provider has accepted it: the refund stays under way until there is an outcome. */
export const awaitOutcome = (
  invoice: KnownInvoice,
  { refundId, transactionId }: AwaitRefund,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const refund = find(invoice, refundId);
  if (refund?.status !== 'underWay' || refund.transactionId !== null) return [];
  if (named(invoice, refund.paymentId, transactionId)) return [];
  const { provider, paymentId, amount } = refund;
  const openRefunds = openBeside(invoice, refundId, { paymentId, amount, status: 'underWay' });
  return [RefundPending({ refundId, provider, transactionId, pendingSince: now, openRefunds })];
};

export const decline = (
  invoice: KnownInvoice,
  { refundId, code, message }: DeclineRefund,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const refund = find(invoice, refundId);
  if (refund?.status !== 'underWay') return [];
  return [declined(invoice, refund, { code, message, by: refund.by }, now)];
};

export const giveUp = (
  invoice: KnownInvoice,
  { refundId, askId }: GiveUpRefund,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const refund = find(invoice, refundId);
  // An overpayment is asked for until there is an answer; another caller may have asked since.
  if (refund?.status !== 'underWay' || refund.isOwed) return [];
  if (refund.firstAsk === null || refund.firstAsk !== askId) return [];
  const no = { code: 'unavailable', message: 'The provider could not be reached.', by: refund.by };
  return [declined(invoice, refund, no, now)];
};

/** Errors: `entity-not-found` if the payment is unknown, perhaps not yet reported. */
const paymentNamed = (
  { payments }: KnownInvoice,
  { provider, chargeTransactionId }: RecordProviderRefund | FailProviderRefund,
): Payment => {
  const payment = payments.find(
    (made) => made.provider === provider && made.transactionId === chargeTransactionId,
  );
  if (!payment) throw notFound('payment');
  return payment;
};

/** Matching the wrong one of two would leave the other under way for ever. */
const unclear = (): Rejection =>
  new Rejection(
    'too-busy',
    'Two refunds of this amount are under way. Send the event again once they are answered.',
  );

export const fromProvider = (
  invoice: KnownInvoice,
  command: RecordProviderRefund,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const { provider, refundId: transactionId, reason } = command;
  const payment = paymentNamed(invoice, command);
  const { paymentId } = payment;
  const known = named(invoice, paymentId, transactionId);
  if (known && known.status !== 'underWay') return [];
  const left = payment.amount - refundedOf(invoice.refunds, paymentId);
  const amount = command.amount ?? known?.amount ?? left;
  // The callback arrived before the answer to the ask.
  const isAsked = (one: Refund): boolean =>
    one.paymentId === paymentId &&
    one.status === 'underWay' &&
    one.transactionId === null &&
    one.amount === amount;
  const [asked, other] = known ? [known] : invoice.refunds.filter(isAsked);
  if (other) throw unclear();
  const given = asked
    ? { refundId: asked.refundId, amount, provider, reason: asked.reason, transactionId, by: asked.by }
    : {
        refundId: derivedId('provider-refund', paymentId, transactionId),
        ...{ amount, provider, reason, transactionId, by: provider },
      };
  return ending(invoice, asked, givenByProvider(invoice, payment, given, now), now);
};

/** Errors: `entity-not-found` if the refund is unknown, perhaps not yet reported. */
export const failedAtProvider = (
  invoice: KnownInvoice,
  command: FailProviderRefund,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const { refundId: transactionId, message } = command;
  const refund = named(invoice, paymentNamed(invoice, command).paymentId, transactionId);
  if (!refund) throw notFound('payment');
  const { status, given, by } = refund;
  if (status === 'underWay') return [declined(invoice, refund, { code: 'failed', message, by }, now)];
  return given === null ? [] : [failed(invoice, { ...refund, given }, message, now)];
};

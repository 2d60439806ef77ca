import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { notFound } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { beyondCredit, closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { formatMoney, scale, type Minor } from '#values/money.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  onInvoiceEvents,
  owedPayments,
  type InvoiceState,
  type KnownInvoice,
  type Payment,
} from '../orders/invoice.state.ts';
import {
  claimedOf,
  refundedOf,
  refundType,
  type ClaimingRefund,
  type Refund,
} from '../orders/refunds.state.ts';
import type {
  CompleteRefund,
  GiveUpRefund,
  RecordProviderRefund,
  RefundCommand,
  StartRefund,
} from './refund.commands.ts';

export interface RefundContext {
  /** ISO instant. */
  readonly now: string;
}

const { InvoiceNoted, PaymentRefunded, RefundAskedAgain, RefundAttempted, RefundDeclined } =
  invoiceEvents.create;

const known = (state: InvoiceState): KnownInvoice => {
  if (!isKnown(state)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
  return state;
};

/** Refunds that are still to come to an end once this one has ended. */
const openBeside = (
  { payments, refunds }: KnownInvoice,
  refundId: string,
  ended: Omit<ClaimingRefund, 'isOwed'>,
): number => {
  const others = refunds.filter((refund) => refund.refundId !== refundId);
  const isOwed =
    refundId === owedRefundId(ended.paymentId) ||
    refunds.some((refund) => refund.refundId === refundId && refund.isOwed);
  const toCome = owedPayments({ payments, refunds: [...others, { ...ended, isOwed }] });
  return others.filter(({ status }) => status === 'underWay').length + toCome.length;
};

/** The refund of money that is owed back: one, whoever comes to ask for it (docs/rules/refunds.md). */
export const owedRefundId = (paymentId: string): string => refundIdOf(paymentId, paymentId);

/** The refund of a payment under a key of who asks for it. */
export const refundIdOf = (paymentId: string, key: string): string => derivedId('refund', paymentId, key);

/** A refund that has happened, as its event is made of it. */
interface Given extends Pick<Refund, 'refundId' | 'amount' | 'provider' | 'reason'> {
  readonly transactionId: string;
  readonly by: string;
}

const refunded = (invoice: KnownInvoice, payment: Payment, given: Given, now: string): InvoiceEvent => {
  const { content, balance, invoiceNumber, status } = invoice;
  const { refundId, amount, provider, reason, transactionId, by } = given;
  const { paymentId } = payment;
  // All refunds of a payment come to what it was in the store's currency, whatever was rounded on the way.
  const inStore = (sum: Minor): Minor =>
    sum === payment.amount
      ? payment.amountInStoreCurrency
      : scale(payment.amountInStoreCurrency, sum, payment.amount);
  const before = refundedOf(invoice.refunds, paymentId);
  const amountInStoreCurrency = inStore(before + amount) - inStore(before);
  const givenBack = beyondCredit(balance, amount);
  const balanceOf = status === 'open' ? invoiceBalance : closedBalance;
  return PaymentRefunded({
    invoiceNumber,
    businessDay: content.businessDay,
    ...{ refundId, paymentId, provider, amount, by, reason, transactionId, amountInStoreCurrency, givenBack },
    currency: content.currency,
    paymentType: refundType(amount, payment.amount),
    givenBackInStoreCurrency:
      givenBack === amount ? amountInStoreCurrency : scale(amountInStoreCurrency, givenBack, amount),
    ...(status === 'open' && invoice.isConfirmed ? { isOfSale: true as const } : {}),
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

const declined = (
  invoice: KnownInvoice,
  refund: Pick<Refund, 'refundId' | 'paymentId' | 'provider' | 'amount' | 'currency'>,
  { code, message, by }: { readonly code: string; readonly message: string; readonly by: string },
  now: string,
): InvoiceEvent => {
  const { refundId, paymentId, provider, amount, currency } = refund;
  return RefundDeclined({
    ...{ refundId, paymentId, provider, amount, currency, by, code, message },
    declinedAt: now,
    openRefunds: openBeside(invoice, refundId, { paymentId, amount, status: 'declined' }),
  });
};

/** The payment that is to be refunded. Errors: `refund-not-possible` of a refund, `entity-not-found`. */
export const paymentOf = ({ payments, refunds }: KnownInvoice, paymentId: string): Payment => {
  const payment = payments.find((made) => made.paymentId === paymentId);
  if (payment) return payment;
  if (refunds.some(({ refundId }) => refundId === paymentId))
    throw new Rejection('refund-not-possible', 'A refund cannot be refunded.');
  throw notFound('payment');
};

/** What is asked for, if it may be given back: refunds under way count as given (docs/rules/refunds.md#how-much). */
const allowedAmount = (invoice: KnownInvoice, payment: Payment, { amount, how, can }: StartRefund): Minor => {
  const left = payment.amount - claimedOf(invoice.refunds, payment.paymentId);
  const { currency } = invoice.content;
  if (left <= 0)
    throw new Rejection('refund-not-possible', 'Nothing is left of this payment to be refunded.');
  const wanted = amount ?? left;
  if (wanted <= 0) throw new Rejection('refund-not-possible', 'An amount above 0 can be refunded.');
  if (wanted > left) {
    throw new Rejection(
      'refund-not-possible',
      `At most ${formatMoney(left, currency)} of this payment can be refunded.`,
    );
  }
  if (how !== 'provider') return wanted;
  if (!can.refunds) {
    throw new Rejection('refund-not-possible', `${payment.provider} gives nothing back. Refund it by hand.`);
  }
  if (!can.partialRefunds && wanted < payment.amount) {
    throw new Rejection('refund-not-possible', `${payment.provider} gives back whole payments only.`);
  }
  return wanted;
};

const start = (state: InvoiceState, command: StartRefund, now: string): InvoiceEvent[] => {
  const invoice = known(state);
  const { refundId, how, can, reason, by, askId } = command;
  if (invoice.refunds.some((refund) => refund.refundId === refundId)) return [];
  const payment = paymentOf(invoice, command.paymentId);
  const { paymentId, provider } = payment;
  const left = payment.amount - claimedOf(invoice.refunds, paymentId);
  // Somebody was faster: there is nothing left that is owed.
  if (how === 'owed' && left <= 0) return [];
  const amount = allowedAmount(invoice, payment, command);
  const { currency } = invoice.content;
  if (how === 'hand') {
    const transactionId = `manual-${refundId}`;
    return [
      refunded(invoice, payment, { refundId, amount, provider: 'manual', reason, transactionId, by }, now),
    ];
  }
  const attempted = RefundAttempted({
    ...{ refundId, paymentId, provider, amount, currency, reason, by, askId },
    ...(how === 'owed' ? { isOwed: true as const } : {}),
    attemptedAt: now,
  });
  if (how === 'provider' || (can.refunds && (can.partialRefunds || amount === payment.amount)))
    return [attempted];
  const no = { code: 'not-supported', message: `${provider} cannot give it back. Refund it by hand.`, by };
  return [attempted, declined(invoice, { refundId, paymentId, provider, amount, currency }, no, now)];
};

const noted = (
  invoice: KnownInvoice,
  noteId: string,
  text: string,
  author: string,
  now: string,
): InvoiceEvent[] =>
  invoice.noteIds.includes(noteId)
    ? []
    : [InvoiceNoted({ noteId, text, isVisibleToCustomer: false, author, notedAt: now })];

/** As much of it as is left of the payment; the surplus is noted. */
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
    ...(surplus > 0 ? noted(invoice, noteId, text, provider, now) : []),
  ];
};

const hasTransaction = ({ refunds }: KnownInvoice, paymentId: string, transactionId: string): boolean =>
  refunds.some((one) => one.paymentId === paymentId && one.transactionId === transactionId);

const complete = (state: InvoiceState, { refundId, transactionId }: CompleteRefund, now: string) => {
  const invoice = known(state);
  const refund = invoice.refunds.find((one) => one.refundId === refundId);
  if (!refund || hasTransaction(invoice, refund.paymentId, transactionId)) return [];
  const { amount, provider, reason } = refund;
  const payment = paymentOf(invoice, refund.paymentId);
  // The provider told of another refund of this amount first: this one is one more.
  const id = refund.status === 'done' ? derivedId('refund', refundId, transactionId) : refundId;
  const given = { refundId: id, amount, provider, reason, transactionId, by: refund.by };
  const events = givenByProvider(invoice, payment, given, now);
  if (refund.status !== 'underWay' || events.some(({ type }) => type === 'PaymentRefunded')) return events;
  const message = 'Nothing was left of the payment when the provider answered.';
  return [...events, declined(invoice, refund, { code: 'surplus', message, by: refund.by }, now)];
};

const giveUp = (state: InvoiceState, { refundId, askId }: GiveUpRefund, now: string): InvoiceEvent[] => {
  const invoice = known(state);
  const refund = invoice.refunds.find((one) => one.refundId === refundId);
  // Owed money is asked for until there is an answer; and somebody else may have asked meanwhile.
  if (refund?.status !== 'underWay' || refund.isOwed) return [];
  if (refund.firstAsk === null || refund.firstAsk !== askId) return [];
  const no = { code: 'unavailable', message: 'The provider could not be reached.', by: refund.by };
  return [declined(invoice, refund, no, now)];
};

/** Taken for the wrong one of two, it would leave the other under way for good. */
const unclear = (): Rejection =>
  new Rejection(
    'too-busy',
    'Two refunds of this amount are under way. Send the event again once they are answered.',
  );

const fromProvider = (state: InvoiceState, command: RecordProviderRefund, now: string): InvoiceEvent[] => {
  const invoice = known(state);
  const { provider, chargeTransactionId, refundId: transactionId, reason } = command;
  const payment = invoice.payments.find(
    (made) => made.provider === provider && made.transactionId === chargeTransactionId,
  );
  if (!payment) throw notFound('payment');
  const { paymentId } = payment;
  if (hasTransaction(invoice, paymentId, transactionId)) return [];
  const amount = command.amount ?? payment.amount - refundedOf(invoice.refunds, paymentId);
  // It is quicker than the answer to who asked for it.
  const [asked, other] = invoice.refunds.filter(
    (one) => one.paymentId === paymentId && one.status === 'underWay' && one.amount === amount,
  );
  if (other) throw unclear();
  const given = asked
    ? { refundId: asked.refundId, amount, provider, reason: asked.reason, transactionId, by: asked.by }
    : {
        refundId: derivedId('provider-refund', paymentId, transactionId),
        ...{ amount, provider, reason, transactionId, by: provider },
      };
  return givenByProvider(invoice, payment, given, now);
};

/** Money that goes back: the third part of an invoice's stream, so that a balance is decided on one state. */
export const refundDecider: Decider<InvoiceState, RefundCommand, InvoiceEvent, RefundContext> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (state, command, { now }) => {
    switch (command.type) {
      case 'StartRefund':
        return start(state, command, now);
      case 'CompleteRefund':
        return complete(state, command, now);
      case 'GiveUpRefund':
        return giveUp(state, command, now);
      case 'RecordProviderRefund':
        return fromProvider(state, command, now);
      case 'AskForRefundAgain': {
        const refund = known(state).refunds.find(({ refundId }) => refundId === command.refundId);
        if (refund?.status !== 'underWay' || refund.firstAsk === null) return [];
        return [RefundAskedAgain({ refundId: refund.refundId, provider: refund.provider })];
      }
      case 'DeclineRefund': {
        const invoice = known(state);
        const refund = invoice.refunds.find(({ refundId }) => refundId === command.refundId);
        if (refund?.status !== 'underWay') return [];
        const { code, message } = command;
        return [declined(invoice, refund, { code, message, by: refund.by }, now)];
      }
    }
  },
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};

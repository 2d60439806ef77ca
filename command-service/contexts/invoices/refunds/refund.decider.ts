import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import { formatMoney, type Minor } from '#values/money.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { ofExisting, type InvoiceRules } from '../invoice-rules.ts';
import type { KnownInvoice } from '../invoice.state.ts';
import type { Payment } from '../payments/payments.state.ts';
import { claimedOf } from './refunds.state.ts';
import type { AskForRefundAgain, RefundCommand, StartRefund } from './refund.commands.ts';
import { declined, paymentOf, refunded } from './refund-events.state.ts';
import { awaitOutcome, complete, decline, failedAtProvider, fromProvider, giveUp } from './refund-outcome.ts';

const { RefundAskedAgain, RefundAttempted } = invoiceEvents.create;

/** Refuses more than may be refunded; refunds under way count as done (docs/rules/refunds.md#how-much). */
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

const start = (invoice: KnownInvoice, command: StartRefund, { now }: InvoiceContext): InvoiceEvent[] => {
  const { refundId, how, can, reason, by, askId } = command;
  if (invoice.refunds.some((refund) => refund.refundId === refundId)) return [];
  const payment = paymentOf(invoice, command.paymentId);
  const { paymentId, provider } = payment;
  const left = payment.amount - claimedOf(invoice.refunds, paymentId);
  // Another refund came first, and no overpayment is left.
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
    ...defined({ isOwed: how === 'owed' || undefined }),
    attemptedAt: now,
  });
  if (how === 'provider' || (can.refunds && (can.partialRefunds || amount === payment.amount)))
    return [attempted];
  const no = { code: 'not-supported', message: `${provider} cannot give it back. Refund it by hand.`, by };
  const asked = { refundId, paymentId, provider, amount, currency, transactionId: null };
  return [attempted, declined(invoice, asked, no, now)];
};

const askAgain = ({ refunds }: KnownInvoice, { refundId }: AskForRefundAgain): InvoiceEvent[] => {
  const refund = refunds.find((one) => one.refundId === refundId);
  if (refund?.status !== 'underWay' || refund.firstAsk === null) return [];
  return [RefundAskedAgain({ refundId, provider: refund.provider })];
};

export const refundRules: InvoiceRules<RefundCommand> = {
  StartRefund: ofExisting(start),
  AskForRefundAgain: ofExisting(askAgain),
  AwaitRefund: ofExisting(awaitOutcome),
  CompleteRefund: ofExisting(complete),
  DeclineRefund: ofExisting(decline),
  GiveUpRefund: ofExisting(giveUp),
  RecordProviderRefund: ofExisting(fromProvider),
  FailProviderRefund: ofExisting(failedAtProvider),
};

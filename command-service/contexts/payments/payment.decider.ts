import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { Decider } from '#kernel/decider.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { decimalsOf } from '#values/currency.ts';
import { closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { scale, timesDecimal } from '#values/money.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  onInvoiceEvents,
  type InvoiceState,
  type KnownInvoice,
  type OpenAttempt,
} from '../orders/invoice.state.ts';
import { isExpired, type UnpaidLimits } from '../orders/unpaid-invoice.state.ts';
import type {
  CardPayment,
  AttemptPayment,
  PaymentCommand,
  RecordDirectPayment,
  RecordManualPayment,
} from './payment.commands.ts';

export interface PaymentContext {
  readonly invoiceId: string;
  /** ISO instant. */
  readonly now: string;
  readonly unpaid: UnpaidLimits;
}

const {
  PaymentAskedAgain,
  PaymentAttempted,
  PaymentCaptured,
  PaymentDeclined,
  PaymentNotAttempted,
  PaymentPromised,
} = invoiceEvents.create;

/**
 * An invoice that may be charged. Its age is looked at here: no job has to have run (docs/rules/checkout.md).
 */
const payable = (state: InvoiceState, { now, unpaid }: PaymentContext): KnownInvoice => {
  if (!isKnown(state)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
  if (state.status === 'superseded') {
    throw new Rejection(
      'invoice-cancelled',
      'This invoice was replaced by a newer one. Start the payment again.',
    );
  }
  if (state.status === 'cancelled' || isExpired(state, Date.parse(now), unpaid)) {
    throw new Rejection('invoice-cancelled', 'This invoice has expired. Start the payment again.');
  }
  if (state.balance.balanceDue === 0 && state.payments.length > 0) {
    throw new Rejection('invoice-already-paid', 'This invoice has been paid already.');
  }
  return state;
};

const otherAttemptOpen = (): Rejection =>
  new Rejection(
    'payment-unknown',
    'The outcome of another payment of this invoice is not known yet. Wait a moment and try again.',
  );

/**
 * The attempt's id is the provider's idempotency key: a double click shares it, a try after a final outcome gets a new
 * one (docs/architecture.md#across-streams).
 */
export const attemptIdOf = (invoiceId: string, invoice: KnownInvoice, command: CardPayment): string =>
  derivedId('attempt', invoiceId, command.provider, command.method, command.tokenHash, invoice.finalAttempts);

const attempt = (state: InvoiceState, command: AttemptPayment, context: PaymentContext): InvoiceEvent[] => {
  const { invoiceId, now } = context;
  const invoice = payable(state, context);
  const attemptId = attemptIdOf(invoiceId, invoice, command);
  if (invoice.openAttempt) {
    if (invoice.openAttempt.attemptId === attemptId) return [];
    throw otherAttemptOpen();
  }
  const { provider, method, token, tokenHash, askId } = command;
  const amount = invoice.balance.balanceDue;
  return [
    PaymentAttempted({
      attemptId,
      provider,
      method,
      token,
      tokenHash,
      amount,
      currency: invoice.content.currency,
      askId,
      attemptedAt: now,
    }),
  ];
};

interface Money {
  readonly attemptId: string | null;
  readonly paymentId: string;
  readonly provider: string;
  readonly method: string;
  readonly transactionId: string;
  readonly amount: number;
  readonly formData: Readonly<Record<string, string>> | null;
}

/**
 * What payments come to in the store's currency: in proportion, so that what pays an invoice whole is the sale's own
 * total; more than that at the locked rate (docs/rules/currency.md#invoices).
 */
const inStoreCurrency = (
  paid: number,
  { rate, storeCurrency, currency, amounts, amountsInStoreCurrency }: KnownInvoice['content'],
): number => {
  const { total } = amounts;
  if (paid < total) return scale(amountsInStoreCurrency.total, paid, total);
  const shift = decimalsOf(storeCurrency) - decimalsOf(currency);
  return amountsInStoreCurrency.total + timesDecimal(paid - total, rate, shift);
};

const captured = (invoice: KnownInvoice, money: Money, now: string): InvoiceEvent => {
  const { content, balance, invoiceNumber, status } = invoice;
  const balanceOf = status === 'open' ? invoiceBalance : closedBalance;
  const paid = balance.amountPaid + money.amount;
  return PaymentCaptured({
    invoiceNumber,
    businessDay: content.businessDay,
    ...money,
    formData: money.formData === null ? null : { ...money.formData },
    amountInStoreCurrency: inStoreCurrency(paid, content) - inStoreCurrency(balance.amountPaid, content),
    currency: content.currency,
    paidAt: now,
    balance: balanceOf(content.amounts.total, paid, balance.amountRefunded, balance.givenBack),
    ...(status === 'open' ? {} : { isLate: true as const }),
  });
};

/** The open attempt that an outcome is about; null when that outcome is known already. */
const openAttemptOf = (state: InvoiceState, attemptId: string): [KnownInvoice, OpenAttempt] | null => {
  if (!isKnown(state)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
  return state.openAttempt?.attemptId === attemptId ? [state, state.openAttempt] : null;
};

/** A payment that no provider was asked for. */
const takenByHand = (
  invoice: KnownInvoice,
  { provider, method, amount, formData }: Pick<Money, 'provider' | 'method' | 'amount' | 'formData'>,
  { invoiceId, now }: PaymentContext,
): InvoiceEvent => {
  if (invoice.openAttempt) throw otherAttemptOpen();
  const paymentId = derivedId('direct-payment', invoiceId, provider, invoice.payments.length);
  const transactionId = `${provider}-${paymentId}`;
  return captured(
    invoice,
    { attemptId: null, paymentId, provider, method, transactionId, amount, formData },
    now,
  );
};

/** The first promise holds the goods: sent again it holds them no longer. */
const promised = (
  invoice: KnownInvoice,
  { provider, method, formData }: RecordDirectPayment,
  holdMinutes: number,
  now: string,
): InvoiceEvent[] => {
  if (invoice.openAttempt) throw otherAttemptOpen();
  if (invoice.heldUntil !== null) return [];
  const { invoiceNumber, content, balance } = invoice;
  const { balanceDue: amount, paymentStatus } = balance;
  return [
    PaymentPromised({
      invoiceNumber,
      businessDay: content.businessDay,
      provider,
      method,
      amount,
      currency: content.currency,
      formData: { ...formData },
      promisedAt: now,
      heldUntil: isoInstant(Date.parse(now) + holdMinutes * 60_000),
      balance: paymentStatus === 'Unpaid' ? { ...balance, paymentStatus: 'AwaitingPayment' } : balance,
    }),
  ];
};

const recordDirect = (
  state: InvoiceState,
  command: RecordDirectPayment,
  context: PaymentContext,
): InvoiceEvent[] => {
  const { provider, holdMinutes } = command;
  if (
    state.status === 'open' &&
    state.balance.balanceDue === 0 &&
    state.payments.at(-1)?.provider === provider
  ) {
    return [];
  }
  const invoice = payable(state, context);
  if (holdMinutes !== null) return promised(invoice, command, holdMinutes, context.now);
  return [takenByHand(invoice, { ...command, amount: invoice.balance.balanceDue }, context)];
};

const recordManual = (
  state: InvoiceState,
  { method, amount, description }: RecordManualPayment,
  context: PaymentContext,
): InvoiceEvent[] => {
  const formData = description === null ? null : { description };
  return [takenByHand(payable(state, context), { provider: 'manual', method, amount, formData }, context)];
};

/** The money of an invoice. Shares the invoice's stream, so that a balance is decided on one state. */
export const paymentDecider: Decider<InvoiceState, PaymentCommand, InvoiceEvent, PaymentContext> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (state, command, context) => {
    switch (command.type) {
      case 'AttemptPayment':
        return attempt(state, command, context);
      case 'RecordDirectPayment':
        return recordDirect(state, command, context);
      case 'RecordManualPayment':
        return recordManual(state, command, context);
      case 'AskAgain': {
        const open = openAttemptOf(state, command.attemptId);
        if (!open || open[1].firstAsk === null) return [];
        const [, { attemptId, provider, method }] = open;
        return [PaymentAskedAgain({ attemptId, provider, method })];
      }
      case 'CapturePayment': {
        const open = openAttemptOf(state, command.attemptId);
        if (!open) return [];
        const [invoice, { provider, method, amount }] = open;
        const { attemptId, transactionId } = command;
        const paymentId = derivedId('payment', attemptId);
        const money = { attemptId, paymentId, provider, method, transactionId, amount, formData: null };
        return [captured(invoice, money, context.now)];
      }
      case 'DeclinePayment': {
        const open = openAttemptOf(state, command.attemptId);
        if (!open) return [];
        const [, { attemptId, provider, method }] = open;
        return [
          PaymentDeclined({
            attemptId,
            provider,
            method,
            code: command.code,
            message: command.message,
            endedAt: context.now,
          }),
        ];
      }
      case 'GiveUpAttempt': {
        const open = openAttemptOf(state, command.attemptId);
        if (!open) return [];
        const [, { attemptId, provider, method, firstAsk }] = open;
        // Somebody else may have asked meanwhile, and been charged (docs/rules/payments.md#asking).
        if (firstAsk === null || firstAsk !== command.askId) return [];
        const { reason } = command;
        return [PaymentNotAttempted({ attemptId, provider, method, reason, endedAt: context.now })];
      }
    }
  },
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};

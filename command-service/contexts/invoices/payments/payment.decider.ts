import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { defined } from '#kernel/defined.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { AuthorizationCommand } from './authorization.commands.ts';
import { attemptIdOf, isUnderWay } from './asked-payment.state.ts';
import { captured, type Money } from './captured-payment.state.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { ofExisting, noted, type InvoiceRules } from '../invoice-rules.ts';
import { nameOf, type InvoiceState, type KnownInvoice } from '../invoice.state.ts';
import type { OpenAttempt } from './open-attempt.state.ts';
import { closed, roomForOne } from './payment-sessions.state.ts';
import { awaitingPayment, payable, refuseWhileOwed } from './invoice-money.state.ts';
import { hasRecorded, matchedAlready, savedFor } from './provider-payment.decider.ts';
import type {
  AttemptOutcomeCommand,
  AttemptPayment,
  CapturePayment,
  ChoosePaymentPages,
  PaymentCommand,
  ProviderCommand,
  RecordDirectPayment,
  RecordManualPayment,
  SendPayerOn,
} from './payment.commands.ts';

const {
  PaymentAskedAgain,
  PaymentAttempted,
  PaymentDeclined,
  PaymentNotAttempted,
  PaymentPagesChosen,
  PaymentPending,
  PaymentPromised,
  PaymentSessionOpened,
} = invoiceEvents.create;

const attempt = (state: InvoiceState, command: AttemptPayment, context: InvoiceContext): InvoiceEvent[] => {
  const { invoiceId, now } = context;
  const invoice = payable(state, context);
  const attemptId = attemptIdOf(invoiceId, invoice, command);
  if (isUnderWay(invoice, attemptId)) return [];
  refuseWhileOwed(invoice);
  const { provider, method, token, tokenHash, askId, saved, ownAddress, pages } = command;
  const amount = invoice.balance.balanceDue;
  return [
    PaymentAttempted({
      attemptId,
      provider,
      method,
      token,
      tokenHash,
      ...defined({ saved: saved && { ...saved } }),
      ...savedFor(command),
      ...defined({ ownAddress, pages: pages && { ...pages } }),
      amount,
      currency: invoice.content.currency,
      askId,
      attemptedAt: now,
    }),
  ];
};

const choosePages = (
  state: InvoiceState,
  { returnUrl, cancelUrl }: ChoosePaymentPages,
  context: InvoiceContext,
): InvoiceEvent[] => {
  const invoice = payable(state, context);
  if (invoice.pages?.returnUrl === returnUrl && invoice.pages.cancelUrl === cancelUrl) return [];
  return [PaymentPagesChosen({ ...nameOf(invoice), returnUrl, cancelUrl, chosenAt: context.now })];
};

/** A payment outside any provider. */
const takenByHand = (
  invoice: KnownInvoice,
  payment: Pick<Money, 'provider' | 'method' | 'amount' | 'formData' | 'paidAt'>,
  { invoiceId, now }: InvoiceContext,
): InvoiceEvent[] => {
  refuseWhileOwed(invoice);
  const { provider } = payment;
  const paymentId = derivedId('direct-payment', invoiceId, provider, invoice.payments.length);
  const transactionId = `${provider}-${paymentId}`;
  return captured(invoice, { attemptId: null, paymentId, transactionId, ...payment }, now);
};

/** Only the first promise holds the goods: a repeat does not extend the hold. */
const promised = (
  invoice: KnownInvoice,
  { provider, method, formData }: RecordDirectPayment,
  holdMinutes: number,
  now: string,
): InvoiceEvent[] => {
  refuseWhileOwed(invoice);
  if (invoice.heldUntil !== null) return [];
  const { invoiceNumber, content, balance } = invoice;
  const { balanceDue: amount } = balance;
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
      balance: awaitingPayment(invoice),
    }),
  ];
};

const recordDirect = (
  state: InvoiceState,
  command: RecordDirectPayment,
  context: InvoiceContext,
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
  const { method, formData } = command;
  const { balanceDue: amount } = invoice.balance;
  return takenByHand(invoice, { provider, method, amount, formData }, context);
};

const recordManual = (
  state: InvoiceState,
  { method, amount: given, description, paidAt }: RecordManualPayment,
  context: InvoiceContext,
): InvoiceEvent[] => {
  const formData = description === null ? null : { description };
  const invoice = payable(state, context);
  const money = { provider: 'manual', method, amount: given ?? invoice.balance.balanceDue, formData };
  return takenByHand(invoice, paidAt === undefined ? money : { ...money, paidAt }, context);
};

/** The charge continues as a session; an invoice paid or closed meanwhile no longer needs it. */
const sentOn = (
  invoice: KnownInvoice,
  { sessionId, redirectUrl, clientSecret }: SendPayerOn,
  { attemptId, provider, method, amount, currency, saveFor, payer, pages }: OpenAttempt,
  now: string,
): InvoiceEvent[] => {
  const { invoiceNumber, content, sessions, status, balance } = invoice;
  const isNeeded = status === 'open' && balance.balanceDue > 0;
  return [
    ...roomForOne(sessions, now),
    PaymentSessionOpened({
      invoiceNumber,
      businessDay: content.businessDay,
      ...{ attemptId, provider, method, sessionId, kind: 'threeD', amount, currency },
      ...(pages ?? invoice.pages ?? { returnUrl: null, cancelUrl: null }),
      ...defined({ redirectUrl: redirectUrl ?? undefined, clientSecret: clientSecret ?? undefined }),
      ...savedFor({ saveFor, payer }),
      openedAt: now,
      balance: awaitingPayment(invoice),
    }),
    ...(isNeeded ? [] : [closed({ sessionId, provider, method, attemptId }, 'voided', now)]),
  ];
};

/**
 * One key is one charge, whatever the provider calls it. If it gives the charge two names, it may have charged twice:
 * staff are told, and nothing is refunded automatically.
 */
const otherName = (
  invoice: KnownInvoice,
  { attemptId, transactionId }: CapturePayment,
  now: string,
): InvoiceEvent[] => {
  const payment = invoice.payments.find((made) => made.attemptId === attemptId);
  if (!payment || hasRecorded(invoice, payment.provider, transactionId)) return [];
  const { provider: author, transactionId: recorded } = payment;
  const text =
    `${author} has called one payment both ${recorded} and ${transactionId}. Only the first is recorded. ` +
    'Look there whether it has charged twice.';
  return noted(
    invoice,
    { noteId: derivedId('other-transaction', attemptId, transactionId), text, author },
    now,
  );
};

/** Records the provider's answer to the open attempt; an attempt that has ended stays as it is. */
const recordOutcome = (
  invoice: KnownInvoice,
  command: AttemptOutcomeCommand,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const open = invoice.openAttempt;
  if (open?.attemptId !== command.attemptId)
    return command.type === 'CapturePayment' ? otherName(invoice, command, now) : [];
  const { attemptId, provider, method, amount, currency, firstAsk } = open;
  const of = { attemptId, provider, method };
  switch (command.type) {
    case 'AskAgain':
      return firstAsk === null ? [] : [PaymentAskedAgain(of)];
    case 'CapturePayment': {
      const { transactionId, keptMethodId, risk } = command;
      const matched = matchedAlready(invoice, of, command, now);
      if (matched) return matched;
      const paymentId = derivedId('payment', attemptId);
      const money = { ...of, paymentId, transactionId, amount, formData: null };
      return captured(invoice, { ...money, ...defined({ keptMethodId, risk: risk && { ...risk } }) }, now);
    }
    case 'AwaitOutcome': {
      const { transactionId } = command;
      const owed = { ...of, transactionId, sessionId: null, amount, currency, pendingSince: now };
      return [PaymentPending({ ...owed, ...savedFor(open) })];
    }
    case 'SendPayerOn':
      return sentOn(invoice, command, open, now);
    case 'DeclinePayment':
      return [PaymentDeclined({ ...of, code: command.code, message: command.message, endedAt: now })];
    case 'GiveUpAttempt':
      // Another caller may have asked since, and been charged (docs/rules/payments.md#asking).
      if (firstAsk === null || firstAsk !== command.askId) return [];
      return [PaymentNotAttempted({ ...of, reason: command.reason, endedAt: now })];
  }
};

const outcome = ofExisting(recordOutcome);

/** Payments at the shop, and the outcome of each attempt (docs/rules/payments.md). */
export const paymentRules: InvoiceRules<Exclude<PaymentCommand, ProviderCommand | AuthorizationCommand>> = {
  AttemptPayment: attempt,
  ChoosePaymentPages: choosePages,
  RecordDirectPayment: recordDirect,
  RecordManualPayment: recordManual,
  AskAgain: outcome,
  CapturePayment: outcome,
  AwaitOutcome: outcome,
  SendPayerOn: outcome,
  DeclinePayment: outcome,
  GiveUpAttempt: outcome,
};

import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { defined } from '#kernel/defined.ts';
import { notFound } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { formatMoney, type Minor } from '#values/money.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { ofExisting, type InvoiceRules } from '../invoice-rules.ts';
import { isSold, nameOf, type KnownInvoice } from '../invoice.state.ts';
import type {
  AuthorizationCommand,
  AuthorizePayment,
  CompleteCapture,
  DeclineAsk,
  RecordAuthorization,
  ReleaseAuthorization,
  StartCapture,
  StartVoid,
} from './authorization.commands.ts';
import { released, voidAttempted, voidedAuthorizations, voidIdAfter } from './authorization-events.state.ts';
import { asksBeside, authorizationNamed, isCovered, type Authorization } from './authorizations.state.ts';
import { captured } from './captured-payment.state.ts';
import { otherAttemptOpen } from './invoice-money.state.ts';
import { closed, voidedSessions } from './payment-sessions.state.ts';
import { hasRecorded, matchedAlready } from './provider-payment.decider.ts';
import { matching } from './reported-payment.state.ts';

const { CaptureAttempted, CaptureDeclined, PaymentAttemptMatched, PaymentAuthorized, VoidDeclined } =
  invoiceEvents.create;

interface Held extends Pick<AuthorizePayment, 'transactionId' | 'expiresAt' | 'keptMethodId' | 'risk'> {
  readonly attemptId: string | null;
  readonly paymentId: string;
  readonly provider: string;
  readonly method: string;
  readonly amount: Minor;
  readonly sessionId?: string;
}

/**
 * The authorisation, and the end of every session and earlier authorisation that is no longer needed. What is not due
 * is let go at once.
 */
const authorized = (invoice: KnownInvoice, held: Held, now: string): InvoiceEvent[] => {
  const { content, status, sessions, isConfirmed } = invoice;
  const { balanceDue } = invoice.balance;
  const { risk, keptMethodId, sessionId, ...money } = held;
  const isNeeded = status === 'open' && balanceDue > 0 && !isCovered(invoice, balanceDue);
  const isCovering = isNeeded && isCovered(invoice, balanceDue, money.amount);
  const isEnoughAlone = isNeeded && money.amount >= balanceDue;
  const isSale = isCovering && !isConfirmed;
  const ended = sessions.filter((one) => one.sessionId === sessionId && one.status !== 'paid');
  return [
    PaymentAuthorized({
      ...nameOf(invoice),
      ...money,
      currency: content.currency,
      authorizedAt: now,
      ...defined({ sessionId, keptMethodId, risk: risk && { ...risk }, isSale: isSale || undefined }),
    }),
    ...ended.map((session) => closed(session, 'paid', now)),
    ...(isCovering ? voidedSessions(sessions, now, sessionId ?? null) : []),
    ...(isEnoughAlone ? voidedAuthorizations(invoice, 'system', now) : []),
    ...(isNeeded ? [] : [voidAttempted(money, { voidId: voidIdAfter(money.paymentId), by: 'system' }, now)]),
  ];
};

const authorize = (
  invoice: KnownInvoice,
  command: AuthorizePayment,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const open = invoice.openAttempt;
  if (open?.attemptId !== command.attemptId) return [];
  const { attemptId, provider, method, amount } = open;
  const { type: _, ...held } = command;
  const { transactionId } = held;
  const of = { attemptId, provider, method };
  // A callback told of it before.
  if (authorizationNamed(invoice, provider, transactionId))
    return [PaymentAttemptMatched({ ...of, transactionId })];
  const matched = matchedAlready(invoice, of, command, now);
  return (
    matched ??
    authorized(invoice, { ...held, ...of, paymentId: derivedId('payment', attemptId), amount }, now)
  );
};

const record = (
  invoice: KnownInvoice,
  command: RecordAuthorization,
  { invoiceId, now }: InvoiceContext,
): InvoiceEvent[] => {
  const { type: _, currency, sessionId: __, ...held } = command;
  const { provider, transactionId } = held;
  if (hasRecorded(invoice, provider, transactionId) || authorizationNamed(invoice, provider, transactionId))
    return [];
  if (currency !== invoice.content.currency)
    throw new Rejection('other-currency', `The payment is in ${currency}, its invoice in another currency.`);
  const { session, owed } = matching(invoice, command);
  const money = {
    ...held,
    attemptId: owed?.attemptId ?? session?.attemptId ?? null,
    paymentId: derivedId('provider-payment', invoiceId, provider, transactionId),
    method: session?.method ?? owed?.method ?? 'unknown',
    ...defined({ sessionId: session?.sessionId }),
  };
  return authorized(invoice, money, now);
};

const authorizationOf = ({ authorizations, payments }: KnownInvoice, paymentId: string): Authorization => {
  const found = authorizations.find((one) => one.paymentId === paymentId);
  if (found) return found;
  if (payments.some((made) => made.paymentId === paymentId))
    throw new Rejection('capture-not-possible', 'This payment has been taken already.');
  throw notFound('payment');
};

const over: Readonly<Record<Exclude<Authorization['status'], 'held'>, string>> = {
  captured: 'This payment has been captured already. Nothing more of it can be.',
  voided: 'This authorisation has been voided. Nothing of it can be captured.',
  expired: 'This authorisation has expired. Ask the customer to pay again.',
};

/** One that can still be asked for. Errors: `capture-not-possible`; `payment-unknown` while an ask is under way. */
const held = (invoice: KnownInvoice, paymentId: string): Authorization => {
  const authorization = authorizationOf(invoice, paymentId);
  const { status, ask } = authorization;
  if (status !== 'held') throw new Rejection('capture-not-possible', over[status]);
  if (ask !== null) throw otherAttemptOpen();
  return authorization;
};

const amountToCapture = (
  { balance, content }: KnownInvoice,
  { amount: authorizedAmount }: Authorization,
  wanted: Minor | null,
): Minor => {
  const { balanceDue } = balance;
  const most = Math.min(authorizedAmount, balanceDue);
  const amount = wanted ?? most;
  if (amount <= 0)
    throw new Rejection(
      'capture-not-possible',
      wanted === null
        ? 'Nothing is due. Void the authorisation.'
        : 'An amount above 0 can be captured. To take nothing, void the authorisation.',
    );
  if (amount > most) {
    const why = authorizedAmount <= balanceDue ? 'is authorised' : 'is due';
    throw new Rejection(
      'capture-not-possible',
      `At most ${formatMoney(most, content.currency)} can be captured: that much ${why}.`,
    );
  }
  return amount;
};

const startCapture = (
  invoice: KnownInvoice,
  { captureId, paymentId, amount: wanted, by }: StartCapture,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  if (invoice.status !== 'open')
    throw new Rejection('invoice-cancelled', 'The invoice is closed. Nothing can be captured for it.');
  const authorization = held(invoice, paymentId);
  const { provider } = authorization;
  const amount = amountToCapture(invoice, authorization, wanted);
  const { currency } = invoice.content;
  return [CaptureAttempted({ captureId, paymentId, provider, amount, currency, by, attemptedAt: now })];
};

const startVoid = (
  invoice: KnownInvoice,
  { paymentId, ...asked }: StartVoid,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  // Its sale may be recorded in part; nothing but its announcement completes it.
  if (isSold(invoice) && !invoice.isConfirmed) throw otherAttemptOpen();
  return [voidAttempted(held(invoice, paymentId), asked, now)];
};

const heldStill = ({ authorizations }: KnownInvoice, paymentId: string): Authorization | undefined =>
  authorizations.find((one) => one.paymentId === paymentId && one.status === 'held');

const completeCapture = (
  invoice: KnownInvoice,
  { paymentId, amount }: CompleteCapture,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const authorization = heldStill(invoice, paymentId);
  if (!authorization) return [];
  const { attemptId, provider, method, transactionId } = authorization;
  const money = { attemptId, paymentId, provider, method, transactionId, amount, formData: null };
  return captured(invoice, money, now);
};

const release = (
  invoice: KnownInvoice,
  { paymentId, reason }: ReleaseAuthorization,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const authorization = heldStill(invoice, paymentId);
  return authorization ? [released(invoice, authorization, reason, now)] : [];
};

const declineAsk = (
  invoice: KnownInvoice,
  { askId, paymentId, code, message }: DeclineAsk,
  { now: declinedAt }: InvoiceContext,
): InvoiceEvent[] => {
  const authorization = heldStill(invoice, paymentId);
  if (authorization?.ask?.askId !== askId) return [];
  const { ask, provider } = authorization;
  const no = { paymentId, provider, code, message, asksLeft: asksBeside(invoice, paymentId), declinedAt };
  return ask.kind === 'capture'
    ? [CaptureDeclined({ captureId: askId, ...no })]
    : [VoidDeclined({ voidId: askId, ...no })];
};

/** Money that is set aside first, and taken or let go later (docs/rules/authorizations.md). */
export const authorizationRules: InvoiceRules<AuthorizationCommand> = {
  AuthorizePayment: ofExisting(authorize),
  RecordAuthorization: ofExisting(record),
  StartCapture: ofExisting(startCapture),
  CompleteCapture: ofExisting(completeCapture),
  StartVoid: ofExisting(startVoid),
  ReleaseAuthorization: ofExisting(release),
  DeclineAsk: ofExisting(declineAsk),
};

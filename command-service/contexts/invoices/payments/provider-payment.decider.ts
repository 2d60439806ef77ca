import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { recordedPaymentOfAdd } from '../post-purchase/added-afterwards.state.ts';
import { refuseTooMany } from './asked-payment.state.ts';
import { released } from './authorization-events.state.ts';
import { authorizationNamed, type Authorization } from './authorizations.state.ts';
import { captured, type PaymentDetails } from './captured-payment.state.ts';
import type { Risk } from '#ports/payment-requests.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { ofExisting, type InvoiceRules } from '../invoice-rules.ts';
import { nameOf, type InvoiceState, type KnownInvoice } from '../invoice.state.ts';
import type { OpenAttempt, SaveFor } from './open-attempt.state.ts';
import { closed, roomForOne, type PaymentSession } from './payment-sessions.state.ts';
import { matching } from './reported-payment.state.ts';
import { awaitingPayment, payable, refuseWhileOwed, refuseWhileSold } from './invoice-money.state.ts';
import type { Payment } from './payments.state.ts';
import type {
  AwaitProviderPayment,
  DeclineProviderPayment,
  NoteVoidedSessions,
  OpenPaymentSession,
  ProviderCommand,
  RecordProviderPayment,
} from './payment.commands.ts';

const {
  PaymentAttemptMatched,
  PaymentDeclined,
  PaymentPending,
  PaymentRiskAssessed,
  PaymentSessionOpened,
  PaymentSessionsVoided,
} = invoiceEvents.create;

const recordedAs = ({ payments }: KnownInvoice, provider: string, transactionId: string) =>
  payments.find((payment) => payment.provider === provider && payment.transactionId === transactionId);

export const hasRecorded = (invoice: KnownInvoice, provider: string, transactionId: string): boolean =>
  recordedAs(invoice, provider, transactionId) !== undefined;

/** A provider may change its assessment of a recorded payment (docs/rules/payments.md#risk). */
const assessed = (
  { paymentId, provider, transactionId, risk: before }: Payment,
  { risk }: { readonly risk?: Risk | null },
  now: string,
): InvoiceEvent[] => {
  if (!risk || isSameJson(risk, before)) return [];
  return [PaymentRiskAssessed({ paymentId, provider, transactionId, risk: { ...risk }, assessedAt: now })];
};

/** The provider's answer to an ask whose payment it had told of before; null: it had not. */
export const matchedAlready = (
  invoice: KnownInvoice,
  of: { readonly attemptId: string; readonly provider: string; readonly method: string },
  answer: { readonly transactionId: string; readonly risk?: Risk },
  now: string,
): InvoiceEvent[] | null => {
  const { transactionId } = answer;
  const recorded = recordedAs(invoice, of.provider, transactionId);
  return recorded
    ? [PaymentAttemptMatched({ ...of, transactionId }), ...assessed(recorded, answer, now)]
    : null;
};

/** For whom a method is saved, in the form of events. */
export const savedFor = ({
  saveFor,
  payer,
}: {
  readonly saveFor?: SaveFor | null | undefined;
  readonly payer?: OpenAttempt['payer'] | undefined;
}) => {
  if (!saveFor) return {};
  const { customerId, setAsDefault } = saveFor;
  return { saveFor: { customerId, setAsDefault }, ...defined({ payer: payer ? { ...payer } : undefined }) };
};

const open = (state: InvoiceState, command: OpenPaymentSession, context: InvoiceContext): InvoiceEvent[] => {
  const invoice = payable(state, context);
  refuseWhileOwed(invoice);
  const { type: _, saveFor, payer, ...session } = command;
  const { sessions, content } = invoice;
  const isKnownAlready = sessions.some(
    ({ sessionId, provider }) => sessionId === session.sessionId && provider === session.provider,
  );
  if (isKnownAlready) return [];
  refuseTooMany(invoice);
  return [
    ...roomForOne(sessions, context.now),
    PaymentSessionOpened({
      ...nameOf(invoice),
      ...session,
      ...savedFor({ saveFor, payer }),
      currency: content.currency,
      openedAt: context.now,
      // A form at the shop starts no payment: it may never be filled in.
      balance: session.kind === 'intent' ? invoice.balance : awaitingPayment(invoice),
    }),
  ];
};

const methodOf = (given: string | null, session: PaymentSession | null, owed: { method: string } | null) =>
  given ?? session?.method ?? owed?.method ?? 'unknown';

const detailsOf = ({
  keptMethodId,
  webhookEventId,
  risk,
  settlement,
}: RecordProviderPayment): PaymentDetails =>
  defined({
    keptMethodId: keptMethodId ?? undefined,
    webhookEventId: webhookEventId ?? undefined,
    risk: risk ? { ...risk } : undefined,
    settlement: settlement ? { ...settlement } : undefined,
  });

const record = (
  invoice: KnownInvoice,
  command: RecordProviderPayment,
  { invoiceId, now, today }: InvoiceContext,
): InvoiceEvent[] => {
  const { provider, transactionId, amount, currency } = command;
  const recorded = recordedAs(invoice, provider, transactionId);
  if (recorded) return assessed(recorded, command, now);
  const details = detailsOf(command);
  const added =
    invoice.postPurchase && recordedPaymentOfAdd(invoice, { ...command, details }, { now, today });
  if (added) return added;
  refuseWhileSold(invoice);
  if (currency !== invoice.content.currency)
    throw new Rejection('other-currency', `The payment is in ${currency}, its invoice in another currency.`);
  const { session, owed } = matching(invoice, command);
  const money = {
    attemptId: owed?.attemptId ?? session?.attemptId ?? null,
    paymentId: derivedId('provider-payment', invoiceId, provider, transactionId),
    provider,
    method: methodOf(command.method, session, owed),
    transactionId,
    amount,
    formData: null,
    ...defined({ sessionId: session?.sessionId }),
    ...details,
  };
  return captured(invoice, money, now);
};

const awaitOutcome = (
  invoice: KnownInvoice,
  command: AwaitProviderPayment,
  context: InvoiceContext,
): InvoiceEvent[] => {
  const { provider, transactionId } = command;
  const { session, owed } = matching(invoice, command);
  if (owed || hasRecorded(invoice, provider, transactionId) || session?.status === 'paid') return [];
  // A closed or paid invoice waits for nothing; money that still arrives is recorded.
  if (invoice.status !== 'open' || invoice.balance.balanceDue === 0) return [];
  if (invoice.openAttempt ?? invoice.pending) return [];
  return [
    PaymentPending({
      provider,
      method: methodOf(command.method, session, null),
      transactionId,
      attemptId: session?.attemptId ?? null,
      sessionId: session?.sessionId ?? null,
      amount: session?.amount ?? invoice.balance.balanceDue,
      currency: invoice.content.currency,
      pendingSince: context.now,
    }),
  ];
};

/** A failed payment is listed on its own; an abandoned one is not. */
const failedPayment = (
  { content, balance }: KnownInvoice,
  { provider, transactionId, isCancelled, amount }: DeclineProviderPayment,
  known: { readonly amount: number } | null,
  invoiceId: string,
) => {
  if (isCancelled) return {};
  const paymentId = derivedId('failed-payment', invoiceId, provider, transactionId);
  const { currency } = content;
  return { failed: { paymentId, amount: amount ?? known?.amount ?? balance.balanceDue, currency } };
};

/** The provider says that money that was set aside is the payer's again. */
const letGo = (
  invoice: KnownInvoice,
  authorization: Authorization,
  { isCancelled, isExpired = false }: DeclineProviderPayment,
  now: string,
): InvoiceEvent[] =>
  isCancelled && authorization.status === 'held'
    ? [released(invoice, authorization, isExpired ? 'expired' : 'voided', now)]
    : [];

const decline = (
  invoice: KnownInvoice,
  command: DeclineProviderPayment,
  { invoiceId, now }: InvoiceContext,
): InvoiceEvent[] => {
  const { provider, transactionId, reason: message, isCancelled } = command;
  // `complete` is final, `failed` is not.
  if (hasRecorded(invoice, provider, transactionId)) return [];
  const authorization = authorizationNamed(invoice, provider, transactionId);
  if (authorization) return letGo(invoice, authorization, command, now);
  const { session, owed } = matching(invoice, command);
  const code = isCancelled ? 'cancelled' : 'declined';
  const endsPending = owed ? { endsPending: true as const } : {};
  // The attempt is listed in its place.
  const attemptId = owed?.attemptId ?? session?.attemptId ?? null;
  const failed = attemptId === null ? failedPayment(invoice, command, session ?? owed, invoiceId) : {};
  if (session) {
    if (session.status !== 'open' && owed === null) return [];
    return [closed(session, code, now, { message, ...endsPending, ...failed })];
  }
  const { failedTransactions } = invoice;
  if (failedTransactions.includes(`${provider} ${transactionId}`) && owed === null) return [];
  const of = { attemptId, provider, method: methodOf(null, null, owed) };
  return [PaymentDeclined({ ...of, code, message, transactionId, ...endsPending, ...failed, endedAt: now })];
};

const noteVoided = ({ sessionsToVoid }: KnownInvoice, command: NoteVoidedSessions): InvoiceEvent[] => {
  const waiting = new Set(sessionsToVoid.map(({ sessionId }) => sessionId));
  const sessionIds = command.sessionIds.filter((sessionId) => waiting.has(sessionId));
  const isLast = sessionIds.length === waiting.size;
  return sessionIds.length > 0 ? [PaymentSessionsVoided({ sessionIds, isLast })] : [];
};

/** Sessions at providers, and payments that providers report (docs/rules/payment-sessions.md). */
export const providerPaymentRules: InvoiceRules<ProviderCommand> = {
  OpenPaymentSession: open,
  RecordProviderPayment: ofExisting(record),
  AwaitProviderPayment: ofExisting(awaitOutcome),
  DeclineProviderPayment: ofExisting(decline),
  NoteVoidedSessions: ofExisting(noteVoided),
};

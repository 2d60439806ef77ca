import type { Logger } from 'pino';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { AcceptedCallback, PaymentCallback, PaymentProvider } from '#ports/payment-provider.ts';
import { formatMoney } from '#values/money.ts';
import { isKnown, type KnownInvoice, type Payment } from '../orders/invoice.state.ts';
import { disputeOf } from './dispute.decider.ts';
import { disputeStream } from './dispute.stream.ts';
import type { ParkedCallbacks } from './parked-callbacks.ts';
import type { PaymentsForNeighbours } from './payment.commands.ts';
import type { ProviderPayments } from './provider-payments.actions.ts';
import { refundStream } from './refund.stream.ts';

/**
 * What came of an event, in a word. `early`: what it is about is not there yet; `unmatched`: nobody knows the invoice;
 * `incomplete`: it lacks what nobody can guess.
 */
export type CallbackOutcome =
  | 'recorded'
  | 'known'
  | 'owed-back'
  | 'other-currency'
  | 'noted'
  | 'incomplete'
  | 'unmatched'
  | 'parked'
  | 'ignored';

type Routed = CallbackOutcome | 'early';

/** Brings an event to where it belongs. Errors: what keeps it from being recorded now, and not for ever. */
export type RouteCallback = (
  provider: string,
  event: PaymentCallback,
  meta: CommandMeta,
) => Promise<CallbackOutcome>;

export interface RouteCallbackDeps extends Pick<CommandDeps, 'streams'> {
  readonly payments: Pick<
    PaymentsForNeighbours,
    'invoiceOf' | 'recordProviderPayment' | 'declineProviderPayment'
  > &
    Pick<ProviderPayments, 'keepMethodOf'>;
  readonly provider: (alias: string) => PaymentProvider | undefined;
  readonly log: Pick<Logger, 'warn'>;
}

interface FoundInvoice {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
}

interface Told {
  readonly alias: string;
  readonly event: PaymentCallback;
  readonly meta: CommandMeta;
}

const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const referencesOf = ({ transactionId, sessionId }: PaymentCallback): readonly string[] =>
  [transactionId, sessionId].filter((reference) => reference !== null);

const paymentIn = (
  { payments }: KnownInvoice,
  alias: string,
  { transactionId, sessionId }: PaymentCallback,
): Payment | undefined =>
  payments.find(
    (made) =>
      made.provider === alias &&
      (transactionId === null
        ? sessionId !== null && made.sessionId === sessionId
        : made.transactionId === transactionId),
  );

/** Whether the invoice has met a payment under this name. */
const knows = ({ payments, sessions, pending }: KnownInvoice, alias: string, reference: string): boolean =>
  [...payments, ...sessions, ...(pending ? [pending] : [])].some(
    (one) =>
      one.provider === alias &&
      (('transactionId' in one && one.transactionId === reference) || one.sessionId === reference),
  );

const createFinder = ({ streams, payments }: RouteCallbackDeps) => {
  const known = async (invoiceId: string | null): Promise<FoundInvoice | null> => {
    const id = invoiceId?.toLowerCase() ?? '';
    if (!guid.test(id)) return null;
    const { state } = await streams.load(disputeStream, id);
    return isKnown(state) ? { invoiceId: id, invoice: state } : null;
  };
  /** The transaction outranks the invoice that the event names (docs/rules/payment-callbacks.md#which-invoice). */
  return async (alias: string, event: PaymentCallback): Promise<FoundInvoice | null> => {
    const named = await known(event.invoiceId);
    const references = referencesOf(event);
    if (named && references.some((reference) => knows(named.invoice, alias, reference))) return named;
    for (const reference of references) {
      const found = await known(await payments.invoiceOf(alias, reference));
      if (found) return found;
    }
    return named;
  };
};

type Find = ReturnType<typeof createFinder>;
type Handler = (deps: RouteCallbackDeps, find: Find, told: Told) => Promise<Routed>;

const note = async (
  { streams }: RouteCallbackDeps,
  invoiceId: string,
  text: string,
  { alias: provider, event, meta }: Told,
  /** What is noted once, however many events tell of it. */
  subject: string = event.eventId,
): Promise<void> => {
  const noteId = derivedId('callback-note', provider, subject);
  await streams.send(disputeStream, invoiceId, { type: 'NoteCallback', noteId, text, provider }, meta, {
    isProcessStep: true,
  });
};

const accept = async (
  { provider }: RouteCallbackDeps,
  alias: string,
  accepted: AcceptedCallback,
): Promise<void> => {
  await provider(alias)?.accepted?.(accepted);
};

const otherCurrency = async (
  deps: RouteCallbackDeps,
  { invoiceId, invoice }: FoundInvoice,
  told: Told,
): Promise<'other-currency'> => {
  const { event } = told;
  const amount = formatMoney(event.amountMinor ?? 0, event.currency ?? '');
  const text =
    `${told.alias}: ${event.type} ${event.transactionId ?? ''} is over ${amount}, but the invoice is in ` +
    `${invoice.content.currency}. Nothing was recorded.`;
  await note(deps, invoiceId, text, told);
  return 'other-currency';
};

const isOtherCurrency = ({ currency }: PaymentCallback, { invoice }: FoundInvoice): boolean =>
  currency !== null && currency !== invoice.content.currency;

const completed: Handler = async (deps, find, told) => {
  const { alias, event, meta } = told;
  const { transactionId, sessionId, amountMinor: amount, eventId, risk, settlement } = event;
  if (transactionId === null || amount === null || amount <= 0) return 'incomplete';
  const found = await find(alias, event);
  if (!found) return 'unmatched';
  const { invoiceId, invoice } = found;
  const currency = event.currency ?? invoice.content.currency;
  if (isOtherCurrency(event, found)) return otherCurrency(deps, found, told);
  // Before it is recorded: what is owed back is given back at once, by a provider that has to know of it.
  const accepted = { type: 'PaymentCompleted', invoiceId, transactionId, refundId: null } as const;
  await accept(deps, alias, { ...accepted, amountMinor: amount, currency });
  const payment = {
    ...{ provider: alias, method: null, transactionId, sessionId, amount, currency, risk, settlement },
    webhookEventId: eventId,
    keptMethodId: await deps.payments.keepMethodOf(invoice, alias, referencesOf(event), meta),
  };
  const recorded = await deps.payments.recordProviderPayment(invoiceId, payment, meta);
  if (recorded.kind === 'otherCurrency') return otherCurrency(deps, found, told);
  if (recorded.isOwedBack) {
    const text =
      `${alias}: payment ${transactionId} over ${formatMoney(amount, currency)} came when nothing was due. ` +
      'It is owed back.';
    await note(deps, invoiceId, text, told, `owed back ${transactionId}`);
    return 'owed-back';
  }
  return recorded.kind;
};

/** Failed or cancelled: never final, and nothing against a payment that is complete. */
const notPaid: Handler = async (deps, find, told) => {
  const { alias, event, meta } = told;
  const found = await find(alias, event);
  if (!found) return 'unmatched';
  const { invoiceId, invoice } = found;
  if (paymentIn(invoice, alias, event)) return 'known';
  const isCancelled = event.type === 'PaymentCancelled';
  const [reference] = referencesOf(event);
  const reason = event.reason ?? (isCancelled ? 'The payment was cancelled.' : 'The payment failed.');
  // One that the shop knows nothing of can fail, but there is nothing to be cancelled.
  if (reference !== undefined && (!isCancelled || knows(invoice, alias, reference))) {
    const { sessionId } = event;
    const amount = isOtherCurrency(event, found) ? null : event.amountMinor;
    const declined = { provider: alias, transactionId: reference, sessionId, reason, isCancelled, amount };
    await deps.payments.declineProviderPayment(invoiceId, declined, meta);
  }
  const what = isCancelled ? 'was cancelled' : 'failed';
  await note(deps, invoiceId, `${alias}: payment ${reference ?? ''} ${what}. ${reason}`, told);
  return 'recorded';
};

interface FoundPayment extends FoundInvoice {
  readonly payment: Payment;
}

/** The payment that an event is about; null while it is not there. */
const paymentFor = async (find: Find, { alias, event }: Told): Promise<FoundPayment | null> => {
  const found = await find(alias, event);
  const payment = found && paymentIn(found.invoice, alias, event);
  return payment ? { ...found, payment } : null;
};

/** Records it; returns how much of it was left to be refunded, now or when it was told of first. */
const refund = async (
  { streams }: RouteCallbackDeps,
  { invoiceId, payment }: FoundPayment,
  { refundId, amount }: { readonly refundId: string; readonly amount: number | null },
  { alias, event, meta }: Told,
): Promise<number> => {
  const { transactionId: chargeTransactionId, paymentId } = payment;
  const reason = event.reason ?? 'Refunded at the provider.';
  const command = { provider: alias, chargeTransactionId, refundId, amount, reason } as const;
  const sent = { type: 'RecordProviderRefund', ...command } as const;
  const { state } = await streams.send(refundStream, invoiceId, sent, meta, { isProcessStep: true });
  const made = isKnown(state)
    ? state.refunds.find((one) => one.paymentId === paymentId && one.transactionId === refundId)
    : undefined;
  return made?.amount ?? 0;
};

const acceptRefund = async (
  deps: RouteCallbackDeps,
  { invoiceId, invoice, payment }: FoundPayment,
  { refundId, amountMinor }: { readonly refundId: string; readonly amountMinor: number },
  { alias }: Told,
): Promise<void> => {
  const { transactionId } = payment;
  const { currency } = invoice.content;
  const accepted = {
    type: 'RefundCompleted',
    invoiceId,
    transactionId,
    refundId,
    amountMinor,
    currency,
  } as const;
  if (amountMinor > 0) await accept(deps, alias, accepted);
};

const refunded: Handler = async (deps, find, told) => {
  const { event } = told;
  const { amountMinor: amount, eventId, refundId } = event;
  if (referencesOf(event).length === 0 || (amount !== null && amount <= 0)) return 'incomplete';
  const found = await paymentFor(find, told);
  if (!found) return 'early';
  if (isOtherCurrency(event, found)) return otherCurrency(deps, found, told);
  const named = { refundId: refundId ?? eventId };
  const amountMinor = await refund(deps, found, { ...named, amount }, told);
  await acceptRefund(deps, found, { ...named, amountMinor }, told);
  return 'recorded';
};

const disputeOpened: Handler = async ({ streams }, find, told) => {
  const { alias: provider, event, meta } = told;
  const { disputeId, amountMinor, reason } = event;
  if (referencesOf(event).length === 0 || disputeId === null) return 'incomplete';
  const found = await paymentFor(find, told);
  if (!found) return 'early';
  const { paymentId } = found.payment;
  const amount = isOtherCurrency(event, found) ? null : amountMinor;
  const command = { type: 'OpenDispute', provider, paymentId, disputeId, amount, reason } as const;
  await streams.send(disputeStream, found.invoiceId, command, meta, { isProcessStep: true });
  return 'recorded';
};

const disputeResolved: Handler = async (deps, find, told) => {
  const { alias: provider, event, meta } = told;
  const { disputeId, disputeOutcome: outcome } = event;
  if (referencesOf(event).length === 0 || disputeId === null || outcome === null) return 'incomplete';
  const found = await paymentFor(find, told);
  const dispute = found && disputeOf(found.invoice, provider, disputeId);
  if (!found || !dispute) return 'early';
  const command = { type: 'ResolveDispute', provider, disputeId, outcome } as const;
  await deps.streams.send(disputeStream, found.invoiceId, command, meta, { isProcessStep: true });
  if (outcome === 'lost') {
    const amount = dispute.amount ?? (isOtherCurrency(event, found) ? null : event.amountMinor);
    const named = { refundId: event.refundId ?? disputeId };
    const amountMinor = await refund(deps, found, { ...named, amount }, told);
    await acceptRefund(deps, found, { ...named, amountMinor }, told);
  }
  return 'recorded';
};

const handlers: Readonly<Record<PaymentCallback['type'], Handler>> = {
  PaymentCompleted: completed,
  PaymentFailed: notPaid,
  PaymentCancelled: notPaid,
  RefundCompleted: refunded,
  DisputeOpened: disputeOpened,
  DisputeResolved: disputeResolved,
  Unknown: () => Promise.resolve('ignored'),
};

/** Money that the shop cannot place is the operator's business. */
const toBeLookedAt: ReadonlySet<Routed> = new Set(['owed-back', 'other-currency', 'incomplete', 'unmatched']);

/** Where each event of a provider goes, without what is early (docs/rules/payment-callbacks.md#events). */
export const createCallbackRouting = (deps: RouteCallbackDeps) => {
  const find = createFinder(deps);
  return async (alias: string, event: PaymentCallback, meta: CommandMeta): Promise<Routed> => {
    const outcome = await handlers[event.type](deps, find, { alias, event, meta });
    if (toBeLookedAt.has(outcome)) {
      const { eventId, type, transactionId, invoiceId } = event;
      deps.log.warn(
        { provider: alias, eventId, type, transactionId, invoiceId, outcome },
        'a callback to look at',
      );
    }
    return outcome;
  };
};

/** Routes an event; what is early is parked, and applied once its payment is there. */
export const createCallbackRouter =
  (
    route: ReturnType<typeof createCallbackRouting>,
    parked: Pick<ParkedCallbacks, 'park' | 'applyFor'>,
  ): RouteCallback =>
  async (alias, event, meta) => {
    const outcome = await route(alias, event, meta).catch((error: unknown) => {
      // It may go better the next time: the provider is to send it again.
      if (error instanceof Rejection && ['conflict', 'payment-unknown'].includes(error.code))
        throw new Rejection('too-busy', 'Too much happens to this invoice at once. Send the event again.');
      throw error;
    });
    const [waitsFor = ''] = referencesOf(event);
    if (outcome !== 'early') {
      if (event.type === 'PaymentCompleted' || event.type === 'DisputeOpened')
        for (const reference of referencesOf(event)) await parked.applyFor(alias, reference, meta);
      return outcome;
    }
    await parked.park(alias, event, waitsFor);
    // Its payment may have come while it was being parked.
    await parked.applyFor(alias, waitsFor, meta);
    return 'parked';
  };

import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderContent, OrderStatus } from '#events/invoice.fields.ts';
import { isoInstant } from '#kernel/clock.ts';
import { notFound } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { SubmissionOutcome } from '#ports/fulfilment-provider.ts';
import { canMove } from '#values/order-transitions.ts';
import { fulfilmentOf, statusNoted, type OrderFulfilment, referenceId } from './fulfilments.state.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { ifKnown, noted, ofVisible, type InvoiceRules } from '../invoice-rules.ts';
import { isAuthorized, isPaidInFull, type KnownInvoice } from '../invoice.state.ts';
import { moveOneOrder } from '../order-desk/order-moves.state.ts';
import { leftToShip } from './shipments.state.ts';
import type {
  BeginSubmission,
  EndWatch,
  FulfilmentCommand,
  NoteFulfilment,
  NoteProviderStatus,
  RecordCancellation,
  RecordSubmission,
  RetryRules,
} from './fulfilment.commands.ts';

const {
  FulfilmentAttemptFailed,
  FulfilmentCancellationEnded,
  FulfilmentSubmissionAttempted,
  FulfilmentSubmitted,
  FulfilmentWatchEnded,
} = invoiceEvents.create;

const MINUTE = 60_000;

const orderOf = ({ content }: KnownInvoice, orderId: string): OrderContent => {
  const order = content.orders.find((one) => one.orderId === orderId);
  if (!order) throw notFound('order');
  return order;
};

/** Moves the order if the transition table allows it. */
const moved = (
  invoice: KnownInvoice,
  orderId: string,
  to: OrderStatus,
  { today: day }: InvoiceContext,
  reason?: string,
): InvoiceEvent[] =>
  canMove(invoice.orderStatuses[orderId] ?? 'Cancelled', to)
    ? moveOneOrder(invoice, orderId, to, { day, reason })
    : [];

const isSettled = (invoice: KnownInvoice): boolean =>
  invoice.isConfirmed &&
  (isPaidInFull(invoice) ||
    isAuthorized(invoice) ||
    invoice.purchaseOrder !== null ||
    invoice.content.accountTerms !== undefined);

/** Whether it is time to submit: the order waits for a provider, or for its next try. */
const isDue = (
  status: OrderStatus,
  fulfilment: OrderFulfilment | undefined,
  { source }: BeginSubmission,
  now: string,
): boolean => {
  if (status === 'ReadyToFulfill') return true;
  if (status === 'FulfilmentFailed') return source === 'ExplicitRelease';
  const nextAt = fulfilment?.nextAt ?? null;
  // Staff need not wait for the next planned attempt.
  const isTime = nextAt !== null && (source === 'ExplicitRelease' || nextAt <= now);
  return status === 'Processing' && isTime;
};

const refusal = (message: string): Rejection => new Rejection('invalid-request', message);

/** Why staff cannot have the order sent; null if they can. */
const obstacle = (invoice: KnownInvoice, orderId: string, status: OrderStatus): string | null => {
  if (invoice.status !== 'open' || status === 'Cancelled') return 'The order is cancelled.';
  if (status === 'OnHold') return 'The order is on hold.';
  if (!isSettled(invoice)) return 'The invoice is neither paid nor on account.';
  if (leftToShip(invoice, orderId).length === 0) return 'Nothing of the order is left to be sent.';
  return null;
};

const begin = (invoice: KnownInvoice, command: BeginSubmission, context: InvoiceContext): InvoiceEvent[] => {
  const { orderId, source } = command;
  const order = orderOf(invoice, orderId);
  const status = invoice.orderStatuses[orderId] ?? 'Pending';
  const before = fulfilmentOf(invoice, orderId);
  if (before?.isUnderWay || (before && before.reference !== null)) return [];
  const isByStaff = source === 'ExplicitRelease';
  const why = obstacle(invoice, orderId, status);
  if (why !== null && isByStaff) throw refusal(why);
  if (why !== null || !isDue(status, before, command, context.now)) {
    if (isByStaff) throw refusal(`An order that is ${status} cannot be submitted.`);
    return [];
  }
  const isRetry = status === 'Processing' && before !== undefined;
  const chosen = isRetry ? before : context.providerFor(order.warehouseId, source);
  if (chosen === null) return [];
  const { configurationId, providerKey } = chosen;
  const key = derivedId('fulfilment', orderId);
  return [
    FulfilmentSubmissionAttempted({
      ...{ orderId, configurationId, providerKey, key, source },
      askedAt: context.now,
    }),
    ...moved(invoice, orderId, 'Processing', context),
  ];
};

const nameOf = ({ orderId, configurationId, providerKey }: OrderFulfilment) => ({
  orderId,
  configurationId,
  providerKey,
});

const othersUnderWay = ({ fulfilments }: KnownInvoice, orderId: string): number =>
  fulfilments.filter((one) => one.isUnderWay && one.orderId !== orderId).length;

const failed = (
  invoice: KnownInvoice,
  fulfilment: OrderFulfilment,
  outcome: Exclude<SubmissionOutcome, { readonly kind: 'submitted' }>,
  { maxAttempts, delaysMinutes }: RetryRules,
  context: InvoiceContext,
): InvoiceEvent[] => {
  const { now } = context;
  const { orderId } = fulfilment;
  const retryCount = outcome.kind === 'refused' ? maxAttempts : fulfilment.retryCount + 1;
  const isClosed = invoice.orderStatuses[orderId] === 'Cancelled';
  const isFinal = isClosed || retryCount >= maxAttempts;
  const delay = delaysMinutes[Math.min(retryCount, delaysMinutes.length) - 1] ?? 1;
  return [
    FulfilmentAttemptFailed({
      ...nameOf(fulfilment),
      message: outcome.message,
      retryCount,
      nextAt: isFinal ? null : isoInstant(Date.parse(now) + delay * MINUTE),
      isFinal,
      failedAt: now,
      openSubmissions: othersUnderWay(invoice, orderId),
    }),
    ...(isFinal && invoice.orderStatuses[orderId] === 'Processing'
      ? moved(invoice, orderId, 'FulfilmentFailed', context, outcome.message)
      : []),
  ];
};

/** A second reference means that the provider has the order twice: staff must look. */
const otherReference = (
  invoice: KnownInvoice,
  { orderId, reference }: OrderFulfilment,
  outcome: SubmissionOutcome,
  now: string,
): InvoiceEvent[] => {
  if (outcome.kind !== 'submitted' || outcome.reference === reference) return [];
  const noteId = derivedId('other-reference', orderId, outcome.reference);
  const text =
    `The fulfilment provider has taken this order twice: as ${reference}, which counts, ` +
    `and as ${outcome.reference}.`;
  return noted(invoice, { noteId, text, author: 'fulfilment' }, now);
};

const record = (
  invoice: KnownInvoice,
  { orderId, outcome, retries }: RecordSubmission,
  context: InvoiceContext,
): InvoiceEvent[] => {
  const fulfilment = fulfilmentOf(invoice, orderId);
  if (!fulfilment) return [];
  if (fulfilment.reference !== null) return otherReference(invoice, fulfilment, outcome, context.now);
  if (outcome.kind === 'submitted') {
    return [
      FulfilmentSubmitted({
        ...nameOf(fulfilment),
        reference: outcome.reference,
        referenceId: referenceId(fulfilment.configurationId, outcome.reference),
        providerStatus: outcome.status,
        submittedAt: context.now,
        openSubmissions: othersUnderWay(invoice, orderId),
      }),
    ];
  }
  return fulfilment.isUnderWay ? failed(invoice, fulfilment, outcome, retries, context) : [];
};

const recordCancellation = (
  invoice: KnownInvoice,
  { orderId, outcome }: RecordCancellation,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const fulfilment = fulfilmentOf(invoice, orderId);
  if (!fulfilment || fulfilment.isCancellationOver) return [];
  const isCancelled = outcome.kind === 'cancelled';
  const message = outcome.kind === 'cancelled' ? null : outcome.message;
  return [FulfilmentCancellationEnded({ ...nameOf(fulfilment), isCancelled, message, endedAt: now })];
};

const noteStatus = (
  invoice: KnownInvoice,
  { orderId, said }: NoteProviderStatus,
  { now }: InvoiceContext,
): InvoiceEvent[] => statusNoted(invoice, orderId, said, now);

const note = (invoice: KnownInvoice, command: NoteFulfilment, { now }: InvoiceContext): InvoiceEvent[] => {
  const { type: _, ...given } = command;
  return noted(invoice, given, now);
};

const endWatch = (
  invoice: KnownInvoice,
  { orderId }: EndWatch,
  { now: endedAt }: InvoiceContext,
): InvoiceEvent[] => {
  const fulfilment = fulfilmentOf(invoice, orderId);
  return fulfilment ? [FulfilmentWatchEnded({ ...nameOf(fulfilment), endedAt })] : [];
};

/** Orders that a fulfilment provider sends (docs/rules/fulfilment.md#submission). */
export const fulfilmentRules: InvoiceRules<FulfilmentCommand> = {
  BeginSubmission: ofVisible(begin, () => notFound('order')),
  RecordSubmission: ifKnown(record),
  NoteProviderStatus: ifKnown(noteStatus),
  NoteFulfilment: ifKnown(note),
  RecordCancellation: ifKnown(recordCancellation),
  EndWatch: ifKnown(endWatch),
};

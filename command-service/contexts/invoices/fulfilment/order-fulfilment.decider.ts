import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderContent, OrderStatus } from '#events/invoice.fields.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { Decider } from '#kernel/decider.ts';
import { notFound } from '#kernel/entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { SubmissionOutcome } from '#ports/fulfilment-provider.ts';
import { canMove } from '#values/order-transitions.ts';
import type { ChosenProvider } from '#reference/chosen-provider.ts';
import { fulfilmentOf, statusNoted, type OrderFulfilment, referenceId } from './fulfilments.state.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  isPaidInFull,
  onInvoiceEvents,
  type InvoiceState,
  type KnownInvoice,
} from '../invoice.state.ts';
import { moveOneOrder } from '../order-desk/order-moves.state.ts';
import { leftToShip } from './shipments.state.ts';
import type {
  BeginSubmission,
  FulfilmentCommand,
  NoteFulfilment,
  RecordCancellation,
  RecordSubmission,
  RetryRules,
} from './fulfilment.commands.ts';

export interface FulfilmentContext {
  /** ISO instant. */
  readonly now: string;
  /** The business day of now. */
  readonly today: string;
  /** Who sends from a warehouse by itself, or by word of staff; null: nobody but the shop. */
  readonly providerFor: (
    warehouseId: string | null,
    source: BeginSubmission['source'],
  ) => ChosenProvider | null;
}

const {
  FulfilmentAttemptFailed,
  FulfilmentCancellationEnded,
  FulfilmentSubmissionAttempted,
  FulfilmentSubmitted,
  FulfilmentWatchEnded,
  InvoiceNoted,
} = invoiceEvents.create;

const MINUTE = 60_000;
const AUTHOR = 'fulfilment';

const known = (state: InvoiceState): KnownInvoice => {
  if (!isKnown(state) || state.status === 'deleted') throw notFound('order');
  return state;
};

const orderOf = ({ content }: KnownInvoice, orderId: string): OrderContent => {
  const order = content.orders.find((one) => one.orderId === orderId);
  if (!order) throw notFound('order');
  return order;
};

/** Where the table of transitions lets it go. */
const moved = (
  invoice: KnownInvoice,
  orderId: string,
  to: OrderStatus,
  { today: day }: FulfilmentContext,
  reason?: string,
): InvoiceEvent[] =>
  canMove(invoice.orderStatuses[orderId] ?? 'Cancelled', to)
    ? moveOneOrder(invoice, orderId, to, { day, reason })
    : [];

const noted = (
  { noteIds }: KnownInvoice,
  noteId: string,
  text: string,
  author: string,
  notedAt: string,
): InvoiceEvent[] =>
  noteIds.includes(noteId)
    ? []
    : [InvoiceNoted({ noteId, text, isVisibleToCustomer: false, author, notedAt })];

const isSettled = (invoice: KnownInvoice): boolean =>
  invoice.isConfirmed &&
  (isPaidInFull(invoice) || invoice.purchaseOrder !== null || invoice.content.accountTerms !== undefined);

/** Whether the time has come: the order waits for somebody to send it, or for its next try. */
const isDue = (
  status: OrderStatus,
  fulfilment: OrderFulfilment | undefined,
  { source }: BeginSubmission,
  now: string,
): boolean => {
  if (status === 'ReadyToFulfill') return true;
  if (status === 'FulfilmentFailed') return source === 'ExplicitRelease';
  const nextAt = fulfilment?.nextAt ?? null;
  // What waits for its next try staff need not wait for.
  const isTime = nextAt !== null && (source === 'ExplicitRelease' || nextAt <= now);
  return status === 'Processing' && isTime;
};

const refusal = (message: string): Rejection => new Rejection('invalid-request', message);

/** Why staff cannot have an order sent as it is; null where they can. */
const obstacle = (invoice: KnownInvoice, orderId: string, status: OrderStatus): string | null => {
  if (invoice.status !== 'open' || status === 'Cancelled') return 'The order is cancelled.';
  if (status === 'OnHold') return 'The order is on hold.';
  if (!isSettled(invoice)) return 'The invoice is neither paid nor on account.';
  if (leftToShip(invoice, orderId).length === 0) return 'Nothing of the order is left to be sent.';
  return null;
};

const begin = (state: InvoiceState, command: BeginSubmission, context: FulfilmentContext): InvoiceEvent[] => {
  const invoice = known(state);
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
  context: FulfilmentContext,
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

/** A provider that names an order twice has two of them: somebody has to look. */
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
  return noted(invoice, noteId, text, AUTHOR, now);
};

const record = (
  state: InvoiceState,
  { orderId, outcome, retries }: RecordSubmission,
  context: FulfilmentContext,
): InvoiceEvent[] => {
  if (!isKnown(state)) return [];
  const fulfilment = fulfilmentOf(state, orderId);
  if (!fulfilment) return [];
  if (fulfilment.reference !== null) return otherReference(state, fulfilment, outcome, context.now);
  if (outcome.kind === 'submitted') {
    return [
      FulfilmentSubmitted({
        ...nameOf(fulfilment),
        reference: outcome.reference,
        referenceId: referenceId(fulfilment.configurationId, outcome.reference),
        providerStatus: outcome.status,
        submittedAt: context.now,
        openSubmissions: othersUnderWay(state, orderId),
      }),
    ];
  }
  return fulfilment.isUnderWay ? failed(state, fulfilment, outcome, retries, context) : [];
};

const recordCancellation = (
  state: InvoiceState,
  { orderId, outcome }: RecordCancellation,
  { now }: FulfilmentContext,
): InvoiceEvent[] => {
  const fulfilment = isKnown(state) ? fulfilmentOf(state, orderId) : undefined;
  if (!fulfilment || fulfilment.isCancellationOver) return [];
  const isCancelled = outcome.kind === 'cancelled';
  const message = outcome.kind === 'cancelled' ? null : outcome.message;
  return [FulfilmentCancellationEnded({ ...nameOf(fulfilment), isCancelled, message, endedAt: now })];
};

/** Orders that somebody else sends (docs/rules/fulfilment.md#submission). */
export const orderFulfilmentDecider: Decider<
  InvoiceState,
  FulfilmentCommand,
  InvoiceEvent,
  FulfilmentContext
> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (state, command, context) => {
    switch (command.type) {
      case 'BeginSubmission':
        return begin(state, command, context);
      case 'RecordSubmission':
        return record(state, command, context);
      case 'NoteProviderStatus':
        return isKnown(state) ? statusNoted(state, command.orderId, command.said, context.now) : [];
      case 'NoteFulfilment':
        return note(state, command, context);
      case 'RecordCancellation':
        return recordCancellation(state, command, context);
      case 'EndWatch': {
        const fulfilment = isKnown(state) ? fulfilmentOf(state, command.orderId) : undefined;
        return fulfilment ? [FulfilmentWatchEnded({ ...nameOf(fulfilment), endedAt: context.now })] : [];
      }
    }
  },
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};

const note = (
  state: InvoiceState,
  { noteId, text, author }: NoteFulfilment,
  { now }: FulfilmentContext,
): InvoiceEvent[] => (isKnown(state) ? noted(state, noteId, text, author, now) : []);

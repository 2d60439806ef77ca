import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent, OrderLine } from '#events/invoice.fields.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import type { AgentOrderDocument, LineUnits, ListedLine, OrderAdjustment } from './agent-order.document.ts';
import { basketLineOf } from './line-shares.ts';

type EventAs<Type extends InvoiceEvent['type']> = Recorded<EventOfType<InvoiceEvent, Type>>;
type Known = AgentOrderDocument | null;

/** By its id: one that is there keeps its place. */
const withAdjustment = (document: AgentOrderDocument, adjustment: OrderAdjustment): AgentOrderDocument => {
  const { adjustments } = document;
  const isThere = adjustments.some(({ id }) => id === adjustment.id);
  return {
    ...document,
    adjustments: isThere
      ? adjustments.map((one) => (one.id === adjustment.id ? adjustment : one))
      : [...adjustments, adjustment],
  };
};

const without = (document: AgentOrderDocument, id: string): AgentOrderDocument => ({
  ...document,
  adjustments: document.adjustments.filter((one) => one.id !== id),
});

const refund = (
  document: Known,
  { refundId: id, amount }: Pick<EventAs<'PaymentRefunded'>['data'], 'refundId' | 'amount'>,
  { status, at }: Pick<OrderAdjustment, 'status' | 'at'>,
): Known =>
  document && withAdjustment(document, { id, type: 'refund', at, status, lines: [], amount: -amount });

const linesOf = ({ orders }: InvoiceContent) => orders.flatMap(({ lines }) => lines);

const unitsOf = (lines: readonly OrderLine[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0);

/** Units that are more or fewer than before: the last ones of each line of the basket. */
const difference = (before: InvoiceContent, after: InvoiceContent): readonly LineUnits[] => {
  const had = Map.groupBy(linesOf(before), basketLineOf);
  const has = Map.groupBy(linesOf(after), basketLineOf);
  return [...new Map([...has, ...had])].flatMap(([basketLine, [line]]) => {
    const was = unitsOf(had.get(basketLine) ?? []);
    const is = unitsOf(has.get(basketLine) ?? []);
    return was === is || !line ? [] : [{ lineId: line.id, quantity: is - was, from: Math.min(was, is) }];
  });
};

/** What was taken out stays as it was last. */
const listed = (before: readonly ListedLine[], content: InvoiceContent): readonly ListedLine[] => {
  const now = new Map(linesOf(content).map((line) => [line.id, line]));
  const known = new Set(before.map(({ line }) => line.id));
  return [
    ...before.map(({ line, sold }) => ({ line: now.get(line.id) ?? line, sold })),
    ...[...now.values()].filter(({ id }) => !known.has(id)).map((line) => ({ line, sold: 0 })),
  ];
};

const edited = (document: AgentOrderDocument, { data }: EventAs<'InvoiceEdited'>): AgentOrderDocument => {
  const { editId: id, content, orderStatuses, editedAt: at } = data;
  const before = document.content;
  const lines = difference(before, content);
  const amount = content.amounts.total - before.amounts.total;
  const after = {
    ...document,
    content,
    lines: listed(document.lines, content),
    orderStatuses: { ...document.orderStatuses, ...orderStatuses },
  };
  if (lines.length === 0 && amount === 0) return after;
  return withAdjustment(after, {
    ...{ id, type: 'edit', at, status: 'completed', lines },
    amount: amount === 0 ? null : amount,
  });
};

/** An order that is cancelled takes its goods with it; what money goes back is a refund of its own. */
const cancelled = (
  document: AgentOrderDocument,
  { id, recordedAt: at, data: { orderId, to } }: EventAs<'OrderStatusChanged'>,
): AgentOrderDocument => {
  const moved = { ...document, orderStatuses: { ...document.orderStatuses, [orderId]: to } };
  if (to !== 'Cancelled') return moved;
  const order = document.content.orders.find((one) => one.orderId === orderId);
  const lines = (order?.lines ?? []).map((line) => ({ lineId: line.id, quantity: -line.quantity }));
  return lines.length === 0
    ? moved
    : withAdjustment(moved, { id, type: 'cancellation', at, status: 'completed', lines, amount: null });
};

/** What becomes of an order after it was placed, but for its shipments. */
export const adjustmentFold = {
  RefundAttempted: (document: Known, { data }: EventAs<'RefundAttempted'>) =>
    refund(document, data, { status: 'pending', at: data.attemptedAt }),
  PaymentRefunded: (document: Known, { data }: EventAs<'PaymentRefunded'>) =>
    refund(document, data, { status: 'completed', at: data.refundedAt }),
  RefundFailed: (document: Known, { data }: EventAs<'RefundFailed'>) =>
    refund(document, data, { status: 'failed', at: data.failedAt }),
  /** Promised to the buyer only once the provider has accepted it. */
  RefundDeclined: (document: Known, { data }: EventAs<'RefundDeclined'>) =>
    data.wasPending
      ? refund(document, data, { status: 'failed', at: data.declinedAt })
      : document && without(document, data.refundId),
  DisputeOpened: (document: Known, { data }: EventAs<'DisputeOpened'>) =>
    document &&
    withAdjustment(document, {
      ...{ id: data.disputeId, type: 'dispute', at: data.openedAt, status: 'pending', lines: [] },
      amount: data.amount === null ? null : -data.amount,
    }),
  DisputeResolved: (document: Known, { data }: EventAs<'DisputeResolved'>) =>
    document &&
    withAdjustment(document, {
      ...{ id: data.disputeId, type: 'dispute', at: data.resolvedAt, lines: [] },
      status: data.outcome === 'lost' ? 'completed' : 'failed',
      amount: data.amount === null ? null : -data.amount,
    }),
  InvoiceEdited: (document: Known, event: EventAs<'InvoiceEdited'>) => document && edited(document, event),
  OrderStatusChanged: (document: Known, event: EventAs<'OrderStatusChanged'>) =>
    document && cancelled(document, event),
};

import type { DialectContext, Forms, Json } from '../dialects.ts';
import type {
  Adjustment,
  Expectation,
  FulfilmentEvent,
  LineQuantity,
  OrderLine,
  ProtocolOrder,
} from '../protocol-order.ts';
import { currentWording, olderWording, present, unlessEmpty, writeItem, type Wording } from './parts.ts';

const writeQuantities = (lines: readonly LineQuantity[]): readonly Json[] =>
  lines.map(({ id, quantity }) => ({ id, quantity }));

const writeExpectation = (expectation: Expectation, { address }: Wording): Json => ({
  id: expectation.id,
  line_items: writeQuantities(expectation.lines),
  method_type: expectation.method,
  destination: address(expectation.destination ?? {}),
  description: expectation.description,
  fulfillable_on: 'now',
});

const writeEvent = (event: FulfilmentEvent): Json => ({
  ...event.further,
  ...present({
    id: event.id,
    occurred_at: event.occurredAt,
    type: event.type,
    line_items: writeQuantities(event.lines),
    tracking_number: event.trackingNumber,
    tracking_url: event.trackingUrl,
    carrier: event.carrier,
    description: event.description,
  }),
});

/** What both dated dialects write alike. */
const sharedMembers = (order: ProtocolOrder, context: DialectContext, wording: Wording): Json => ({
  ucp: wording.envelope(order.capabilities, context),
  id: order.id,
  checkout_id: order.checkoutId,
  permalink_url: order.permalinkUrl,
  fulfillment: {
    expectations: order.expectations.map((expectation) => writeExpectation(expectation, wording)),
    events: order.events.map(writeEvent),
  },
  totals: wording.totals(order.totals),
});

const adjustmentMembers = (adjustment: Adjustment): Json => ({
  ...adjustment.further,
  ...present({
    id: adjustment.id,
    type: adjustment.type,
    occurred_at: adjustment.occurredAt,
    status: adjustment.status,
    description: adjustment.description,
  }),
});

const currentAdjustment = (adjustment: Adjustment): Json => ({
  ...adjustmentMembers(adjustment),
  ...present({
    line_items: unlessEmpty(writeQuantities(adjustment.lines)),
    totals: adjustment.amount === null ? null : [{ type: 'total', amount: adjustment.amount }],
  }),
});

const positive = (lines: readonly LineQuantity[]): readonly LineQuantity[] =>
  lines
    .filter(({ quantity }) => quantity !== 0)
    .map(({ id, quantity }) => ({ id, quantity: Math.abs(quantity) }));

const olderAdjustment = (adjustment: Adjustment): Json => ({
  ...adjustmentMembers(adjustment),
  ...present({
    line_items: unlessEmpty(writeQuantities(positive(adjustment.lines))),
    amount: adjustment.amount === null ? null : Math.abs(adjustment.amount),
  }),
});

const writeLine = (line: OrderLine, { totals }: Wording): Json => ({
  id: line.id,
  item: writeItem(line.item),
  totals: totals(line.totals),
});

const current = (order: ProtocolOrder, context: DialectContext): Json => ({
  ...sharedMembers(order, context, currentWording),
  ...present({ label: order.label, currency: order.currency, attribution: order.attribution }),
  line_items: order.lines.map((line) => ({
    ...writeLine(line, currentWording),
    quantity: line.quantity,
    status: line.status,
  })),
  adjustments: order.adjustments.map(currentAdjustment),
});

const older = (order: ProtocolOrder, context: DialectContext): Json => ({
  ...sharedMembers(order, context, olderWording),
  line_items: order.lines.map((line) => ({
    ...writeLine(line, olderWording),
    quantity: { total: line.quantity.total, fulfilled: line.quantity.fulfilled },
    // There is no word for a line that was taken out: nothing of it is left to send.
    status: line.status === 'removed' ? 'fulfilled' : line.status,
  })),
  adjustments: order.adjustments.map(olderAdjustment),
});

/** Orders (docs/rules/agent-dialects.md#orders). */
export const orderForms: Forms<ProtocolOrder> = {
  '2026-04-08': current,
  '2026-01-11': older,
  draft: current,
};

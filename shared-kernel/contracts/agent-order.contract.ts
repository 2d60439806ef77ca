import { z } from 'zod';
import type { AmendedAdjustment, AmendedEvent } from '#events/agent-order.events.ts';
import { defined } from '#kernel/defined.ts';

const totals = z.array(z.object({ type: z.string(), amount: z.int(), display_text: z.string().optional() }));
const anyMap = z.record(z.string(), z.unknown());
const quantities = z.array(z.object({ id: z.string(), quantity: z.int() }));

const line = z.object({
  id: z.string(),
  item: z.object({ id: z.string(), title: z.string(), price: z.int(), image_url: z.string().optional() }),
  quantity: z.object({ original: z.int().optional(), total: z.int(), fulfilled: z.int() }),
  totals,
  status: z.enum(['removed', 'fulfilled', 'partial', 'processing']),
});

const expectation = z.object({
  id: z.string(),
  line_items: quantities,
  method_type: z.enum(['shipping', 'digital']),
  destination: anyMap,
  description: z.string(),
  fulfillable_on: z.string(),
});

const event = z.looseObject({
  id: z.string(),
  occurred_at: z.string(),
  type: z.string(),
  line_items: quantities,
  tracking_number: z.string().optional(),
  tracking_url: z.string().optional(),
  carrier: z.string().optional(),
  description: z.string().optional(),
});

const adjustment = z.looseObject({
  id: z.string(),
  type: z.string(),
  occurred_at: z.string(),
  status: z.enum(['pending', 'completed', 'failed']),
  line_items: quantities.optional(),
  totals: totals.optional(),
  amount: z.int().optional(),
  description: z.string().optional(),
});

/** An order, as agents are shown it; without label, currency and attribution in the older version. */
export const agentOrderResponse = z.object({
  ucp: z.object({
    version: z.string(),
    status: z.literal('success').optional(),
    capabilities: anyMap.or(z.array(anyMap)),
  }),
  id: z.string(),
  checkout_id: z.string(),
  permalink_url: z.string(),
  label: z.string().optional(),
  currency: z.string().optional(),
  line_items: z.array(line),
  fulfillment: z.object({ expectations: z.array(expectation), events: z.array(event) }),
  adjustments: z.array(adjustment),
  totals,
  attribution: anyMap.optional(),
});

const named = z.string().min(1).max(250);
const words = z.string().max(2000).nullish();
const moment = z.iso.datetime({ offset: true }).transform((at) => new Date(at).toISOString());
const unitsGiven = z.array(z.object({ id: named, quantity: z.int() })).max(1000);

/** What is not read by name, as it came. */
const furtherOf = (given: Readonly<Record<string, unknown>>, read: z.ZodRawShape) => {
  const further = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !Object.hasOwn(read, name) && value !== null),
  );
  return Object.keys(further).length === 0 ? {} : { further };
};

const eventShape = {
  id: named,
  occurred_at: moment,
  type: named,
  line_items: unitsGiven,
  tracking_number: words,
  tracking_url: words,
  carrier: words,
  description: words,
};

const givenEvent = z.looseObject(eventShape).transform((given): AmendedEvent => ({
  ...{ id: given.id, occurredAt: given.occurred_at, type: given.type, lines: given.line_items },
  ...defined({
    trackingNumber: given.tracking_number ?? undefined,
    trackingUrl: given.tracking_url ?? undefined,
    carrier: given.carrier ?? undefined,
    description: given.description ?? undefined,
  }),
  ...furtherOf(given, eventShape),
}));

const adjustmentShape = {
  id: named,
  type: named,
  occurred_at: moment,
  status: z.enum(['pending', 'completed', 'failed']),
  line_items: unitsGiven.nullish(),
  description: words,
};

const givenAdjustment = z
  .looseObject({
    ...adjustmentShape,
    amount: z.int().nullish(),
    totals: z.array(z.looseObject({ type: z.string(), amount: z.int() })).nullish(),
  })
  .transform((given): AmendedAdjustment => ({
    ...{ id: given.id, type: given.type, occurredAt: given.occurred_at, status: given.status },
    lines: given.line_items ?? [],
    ...defined({ description: given.description ?? undefined }),
    ...furtherOf(given, adjustmentShape),
  }));

/** A whole order, of which a test may change what became of it (docs/rules/agent-orders.md#test-endpoints). */
export const amendOrderBody = z
  .object({
    fulfillment: z.object({ events: z.array(givenEvent).max(1000).nullish() }).nullish(),
    adjustments: z.array(givenAdjustment).max(1000).nullish(),
  })
  .transform(({ fulfillment, adjustments }) => ({
    events: fulfillment?.events ?? [],
    adjustments: adjustments ?? [],
  }));

export const simulatedShipping = z.object({
  success: z.literal(true),
  order_id: z.string(),
  status: z.literal('shipped'),
});

export const simulatedOrder = z.object({ orderId: z.string().toLowerCase() });

export const sinkParams = z.object({ agentId: z.string().regex(/^[\w.-]{1,64}$/) });

export const receivedWebhooks = z.object({
  items: z.array(
    z.object({ receivedAt: z.string(), headers: z.record(z.string(), z.string()), body: z.unknown() }),
  ),
});

/** Whatever it is. */
export const sentWebhook = z.unknown();

export const webhookReceived = z.object({ received: z.literal(true) });

import { z } from 'zod';

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

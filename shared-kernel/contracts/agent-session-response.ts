import { z } from 'zod';

/** Answers about sessions, as the newest dialect writes them; what differs: docs/rules/agent-dialects.md. */

const said = z.record(z.string(), z.unknown());

const total = z.object({ type: z.string(), amount: z.int(), display_text: z.string().optional() });

const line = z.object({
  id: z.string(),
  item: z.object({
    id: z.string(),
    title: z.string(),
    price: z.int(),
    image_url: z.string().optional(),
  }),
  quantity: z.int(),
  totals: z.array(total),
  options: z.array(z.object({ name: z.string(), label: z.string() })).optional(),
});

const message = z.object({
  type: z.enum(['error', 'warning', 'info']),
  code: z.string(),
  content: z.string(),
  path: z.string().optional(),
  severity: z.string().optional(),
});

const applied = z.object({
  code: z.string().optional(),
  title: z.string(),
  amount: z.int(),
  automatic: z.boolean().optional(),
  method: z.enum(['each', 'across']),
  priority: z.int(),
  allocations: z.array(z.object({ path: z.string(), amount: z.int() })).optional(),
});

const option = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().optional(),
  carrier: z.string().optional(),
  earliest_fulfillment_time: z.string().optional(),
  latest_fulfillment_time: z.string().optional(),
  totals: z.array(total),
});

const method = z.object({
  id: z.string(),
  type: z.literal('shipping'),
  line_item_ids: z.array(z.string()),
  destinations: z.array(z.looseObject({ id: z.string() })).optional(),
  selected_destination_id: z.string().optional(),
  groups: z
    .array(
      z.object({
        id: z.string(),
        line_item_ids: z.array(z.string()),
        options: z.array(option),
        selected_option_id: z.string().optional(),
      }),
    )
    .optional(),
});

export const sessionResponse = z.object({
  ucp: z.object({
    version: z.string(),
    status: z.literal('success'),
    capabilities: z.record(z.string(), z.array(z.object({ version: z.string() }))),
    payment_handlers: z.record(z.string(), z.array(said)),
  }),
  id: z.guid(),
  status: z.enum([
    'incomplete',
    'requires_escalation',
    'ready_for_complete',
    'complete_in_progress',
    'completed',
    'canceled',
  ]),
  session_status: z.enum(['active', 'completed', 'cancelled', 'expired']),
  currency: z.string(),
  line_items: z.array(line),
  buyer: said.optional(),
  totals: z.array(total),
  messages: z.array(message),
  links: z.array(z.object({ type: z.string(), url: z.url() })),
  created_at: z.string(),
  updated_at: z.string(),
  expires_at: z.string(),
  continue_url: z.url().optional(),
  payment: z.object({ instruments: z.array(said) }),
  discounts: z.object({ codes: z.array(z.string()), applied: z.array(applied) }).optional(),
  fulfillment: z.object({ methods: z.array(method) }).optional(),
  order: z.object({ id: z.guid(), permalink_url: z.url(), label: z.string() }).optional(),
});

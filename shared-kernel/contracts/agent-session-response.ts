import { z } from 'zod';
import { envelope, said, sharedAnswer, total } from './agent-answer-parts.ts';

/** Answers about sessions, as the newest dialect writes them; what differs: docs/rules/agent-dialects.md. */

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
  ...sharedAnswer,
  ucp: envelope.extend({ payment_handlers: z.record(z.string(), z.array(said)) }),
  status: z.enum([
    'incomplete',
    'requires_escalation',
    'ready_for_complete',
    'complete_in_progress',
    'completed',
    'canceled',
  ]),
  session_status: z.enum(['active', 'completed', 'cancelled', 'expired']),
  created_at: z.string(),
  updated_at: z.string(),
  payment: z.object({ instruments: z.array(said) }),
  fulfillment: z.object({ methods: z.array(method) }).optional(),
  ap2: z.object({ merchant_authorization: z.string() }).optional(),
  order: z.object({ id: z.guid(), permalink_url: z.url(), label: z.string() }).optional(),
});

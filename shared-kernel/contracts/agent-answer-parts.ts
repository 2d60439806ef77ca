import { z } from 'zod';

/** What answers about sessions and about carts have in common, as the newest dialect writes them. */

export const said = z.record(z.string(), z.unknown());

export const total = z.object({ type: z.string(), amount: z.int(), display_text: z.string().optional() });

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

export const envelope = z.object({
  version: z.string(),
  status: z.literal('success'),
  capabilities: z.record(z.string(), z.array(z.object({ version: z.string() }))),
});

export const sharedAnswer = {
  id: z.guid(),
  currency: z.string(),
  line_items: z.array(line),
  buyer: said.optional(),
  totals: z.array(total),
  messages: z.array(message),
  links: z.array(z.object({ type: z.string(), url: z.url() })),
  expires_at: z.string(),
  continue_url: z.url().optional(),
  discounts: z.object({ codes: z.array(z.string()), applied: z.array(applied) }).optional(),
};

import { z } from 'zod';
import { asOf } from './as-of.contract.ts';

/** GET /audit/why/{view}/{key}: a page of the events behind a figure. */
export const whyParams = z.object({ view: z.string(), key: z.string() });

export const whyQuery = z.object({
  figure: z.string().min(1).max(250).optional(),
  asOf,
  /** The page goes on behind this one. */
  position: z.coerce.number('must be a position of the log').int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const contribution = z.object({
  position: z.int(),
  stream: z.string(),
  type: z.string(),
  recordedAt: z.string(),
  /** What the figure was after the event, less what it was before it. */
  contribution: z.number(),
});
export type WhyContribution = z.output<typeof contribution>;

/** `sum`: of all contributions, those of other pages among them. `next` goes on as `position`; null at the end. */
export const whyResponse = z.object({
  figure: z.string(),
  value: z.number(),
  sum: z.number(),
  addsUp: z.boolean(),
  items: z.array(contribution),
  next: z.int().nullable(),
});
export type WhyResponse = z.output<typeof whyResponse>;

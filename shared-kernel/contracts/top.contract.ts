import { z } from 'zod';
import { asOf } from './as-of.contract.ts';
import { windowQuery } from './reporting.contract.ts';

/** What sells best, and who buys most (docs/rules/reporting.md#top). */

/** What sales are ranked by (docs/rules/reporting.md#top). */
export const rankings = [
  'product',
  'variant',
  'collection',
  'country',
  'customer',
  'discount',
  'source',
] as const;

const rankedFigures = ['sales', 'grossSales', 'netSales', 'discounts', 'returns', 'orders', 'items'] as const;
export type RankedFigure = (typeof rankedFigures)[number];

const MAX_RANKED = 100;

const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, `must be one of ${names.join(', ')}`);

const limitMessage = `must be a whole number from 1 to ${MAX_RANKED}`;

export const topQuery = windowQuery.safeExtend({
  by: oneOf(rankings),
  figure: oneOf(rankedFigures).default('sales'),
  limit: z.coerce
    .number(limitMessage)
    .int(limitMessage)
    .min(1, limitMessage)
    .max(MAX_RANKED, limitMessage)
    .default(10),
  asOf,
});
export type TopQuery = z.output<typeof topQuery>;

export const topAnswer = z.object({
  by: z.enum(rankings),
  figure: z.enum(rankedFigures),
  unit: z.enum(['amount', 'count']),
  /** Of amounts. */
  currency: z.string(),
  items: z.array(
    z.object({
      /** A country's code, the type of a source; of everything else its id. */
      id: z.string(),
      /** As it is today; null of what is deleted or forgotten. */
      name: z.string().nullable(),
      value: z.number(),
    }),
  ),
});
export type TopAnswer = z.output<typeof topAnswer>;

import { z } from 'zod';
import { breakdownQuery } from './reporting.contract.ts';

/** Figures in intervals, for charts (docs/rules/reporting.md#figures-in-intervals). */

export const chartedFigures = [
  'sales',
  'grossSales',
  'netSales',
  'discounts',
  'returns',
  'taxes',
  'orders',
  'items',
  'averageOrderValue',
  'newCustomers',
  'returningCustomers',
] as const;
export type ChartedFigure = (typeof chartedFigures)[number];

const intervals = ['day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

const isCharted = (name: string): name is ChartedFigure =>
  (chartedFigures as readonly string[]).includes(name);
export const isOfCustomers = (name: ChartedFigure): boolean =>
  name === 'newCustomers' || name === 'returningCustomers';

const expected = `must be one or more of ${chartedFigures.join(', ')}`;

/** Repeated or with commas; what is named twice is shown once. */
const figures = z
  .union([z.string(), z.array(z.string())], expected)
  .transform((given) => [...new Set([given].flat().flatMap((part) => part.split(',')))])
  .refine((names) => names.every(isCharted), expected)
  .transform((names) => names.filter(isCharted));

export const figureSeriesQuery = breakdownQuery
  .safeExtend({
    figures,
    interval: z
      .enum(intervals, `must be ${intervals.slice(0, -1).join(', ')} or ${intervals.at(-1)}`)
      .default('day'),
  })
  .refine((query) => query.basis === 'booked' || !query.figures.some(isOfCustomers), {
    path: ['basis'],
    message: 'must be booked for newCustomers and returningCustomers, who count when they buy',
  });
export type FigureSeriesQuery = z.output<typeof figureSeriesQuery>;

const point = z.object({
  /** Midnight UTC of the first day of the interval that is in the window. */
  date: z.string(),
  value: z.number(),
  /** Null where nothing was sold in the days that are compared. */
  comparisonValue: z.number().nullable(),
});

export const figureSeries = z.object({
  interval: z.enum(intervals),
  /** Of amounts. */
  currency: z.string(),
  /** The instant up to which sales, and what has come of them, are known. */
  asOf: z.string(),
  series: z.array(
    z.object({
      figure: z.enum(chartedFigures),
      unit: z.enum(['amount', 'count']),
      points: z.array(point),
      total: z.number(),
      comparisonTotal: z.number().nullable(),
    }),
  ),
});
export type FigureSeries = z.output<typeof figureSeries>;

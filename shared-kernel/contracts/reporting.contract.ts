import { z } from 'zod';
import { sourceTypes } from '#events/invoice.fields.ts';
import { enumOf } from '#fields/body-fields.ts';
import { isCalendarDay } from '#values/business-day.ts';
import { asOf } from './as-of.contract.ts';

/** Reports (docs/rules/reporting.md). */

/** A calendar day; of an instant the date part counts. */
export const calendarDay = z
  .string('must be a date YYYY-MM-DD')
  .regex(/^[12]\d{3}-\d{2}-\d{2}(T.*)?$/, 'must be a date YYYY-MM-DD')
  .transform((text) => text.slice(0, 10))
  .refine(isCalendarDay, 'must be a day of the calendar');

const compareModes = { Previous: 0, PreviousYear: 1, Custom: 2, None: 3 } as const;

const compareMode = z
  .string()
  .transform((given) => (/^\d+$/.test(given) ? Number(given) : given))
  .pipe(enumOf(compareModes))
  .default('Previous');

/** Ten years and a week: beyond that a report is asked for in parts. */
const MAX_REPORT_DAYS = 3660;
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

type Days = Readonly<Record<'start' | 'end', string | undefined>>;

const isReversed = ({ start, end }: Days): boolean => start !== undefined && end !== undefined && end < start;

const isTooLong = ({ start, end }: Days): boolean =>
  start !== undefined &&
  end !== undefined &&
  (Date.parse(end) - Date.parse(start)) / DAY_MILLISECONDS >= MAX_REPORT_DAYS;

/** Only what was sold there: `web` is the storefront, `draft` (or `manual`) what staff wrote. */
export const soldAt = z
  .enum([...sourceTypes, 'manual'], `must be ${sourceTypes.join(', ')} or manual`)
  .transform((given) => (given === 'manual' ? 'draft' : given));

/** Which sales a report is about. */
export const salesFilter = z.object({
  /** Sales that were cancelled count, too. */
  includeCancelled: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((given) => given === 'true'),
  sourceType: soldAt.optional(),
});

const queryFields = salesFilter.extend({
  startDate: calendarDay,
  endDate: calendarDay,
  compareMode,
  comparisonStartDate: calendarDay.optional(),
  comparisonEndDate: calendarDay.optional(),
  /** `booked`: on the business day of the invoice. `recorded`: on the day (UTC) on which it became known. */
  basis: z.enum(['booked', 'recorded'], 'must be booked or recorded').default('booked'),
  asOf,
});

interface NamedDays {
  readonly days: Days;
  /** The names of their parameters. */
  readonly from: string;
  readonly to: string;
}

/** Refuses days in the wrong order, and a report over too many of them. */
export const checkDays = (
  { days, from, to }: NamedDays,
  isLengthLimited: boolean,
  { addIssue }: Pick<z.RefinementCtx, 'addIssue'>,
): void => {
  const refuse = (message: string): void =>
    addIssue({ code: 'custom', path: [to], message: `must be ${message}` });
  if (isReversed(days)) refuse(`a day not before ${from}`);
  if (isLengthLimited && isTooLong(days))
    refuse(`a day at most ${MAX_REPORT_DAYS.toLocaleString('en')} days from ${from}, both included`);
};

const checkWindows = (isLengthLimited: boolean): Parameters<typeof queryFields.superRefine>[0] => {
  return ({ startDate, endDate, comparisonStartDate, comparisonEndDate }, context) => {
    const windows: readonly NamedDays[] = [
      { days: { start: startDate, end: endDate }, from: 'startDate', to: 'endDate' },
      {
        days: { start: comparisonStartDate, end: comparisonEndDate },
        from: 'comparisonStartDate',
        to: 'comparisonEndDate',
      },
    ];
    for (const window of windows) checkDays(window, isLengthLimited, context);
  };
};

/** The days that a report without a comparison is about, both ends included. */
export const windowQuery = queryFields
  .pick({ startDate: true, endDate: true })
  .superRefine(({ startDate: start, endDate: end }, context) =>
    checkDays({ days: { start, end }, from: 'startDate', to: 'endDate' }, true, context),
  );

/** The days that a report is about, both ends included, and what they are compared with. */
export const breakdownQuery = queryFields.superRefine(checkWindows(true));
export type ReportQuery = z.output<typeof breakdownQuery>;

/** Its customers are known by when they bought. */
export const summaryQuery = breakdownQuery.refine(({ basis }) => basis === 'booked', {
  path: ['basis'],
  message: 'must be booked: customers count when they buy. The breakdown and time series take recorded',
});

/** Of a time series, which takes the first days of any window, however long. */
export const seriesQuery = queryFields.superRefine(checkWindows(false));

const amount = z.number();
const percent = z.number();
const perDay = z.array(z.number());

/** Figures, each with its change under its name and `Change`. */
const withChanges = <Shape extends z.ZodRawShape>(figures: Shape) => {
  const changes = Object.keys(figures).map((figure) => [`${figure}Change`, percent]);
  return z.object({
    ...figures,
    ...(Object.fromEntries(changes) as {
      [Figure in keyof Shape & string as `${Figure}Change`]: z.ZodNumber;
    }),
  });
};

export const salesSummary = withChanges({
  grossSales: amount,
  returningCustomers: z.int(),
  returningCustomerRate: percent,
  ordersFulfilled: z.int(),
  totalOrders: z.int(),
}).extend({
  grossSalesSparkline: perDay,
  returningCustomerSparkline: perDay,
  ordersFulfilledSparkline: perDay,
  totalOrdersSparkline: perDay,
});
export type SalesSummary = z.output<typeof salesSummary>;

/** `shipping` and `total` are other names of `shippingCharges` and `totalSales`. */
const breakdownFigures = {
  grossSales: amount,
  discounts: amount,
  returns: amount,
  netSales: amount,
  shippingCharges: amount,
  shipping: amount,
  returnFees: amount,
  taxes: amount,
  totalSales: amount,
  total: amount,
  totalCost: amount,
  grossProfit: amount,
  grossProfitMargin: percent,
};
export type BreakdownFigures = Readonly<Record<keyof typeof breakdownFigures, number>>;

export const salesBreakdown = withChanges(breakdownFigures);
export type SalesBreakdown = z.output<typeof salesBreakdown>;

const timeSeriesPoint = z.object({
  /** Midnight UTC. */
  date: z.string(),
  value: amount,
  /** Null where the day with the same place in the comparison has no sale. */
  comparisonValue: amount.nullable(),
});
export type TimeSeriesPoint = z.output<typeof timeSeriesPoint>;

export const timeSeriesPoints = z.array(timeSeriesPoint);

export const timeSeries = z.object({
  dataPoints: timeSeriesPoints,
  periodTotal: amount,
  comparisonTotal: amount.nullable(),
  percentChange: percent.nullable(),
});
export type TimeSeries = z.output<typeof timeSeries>;

/** Its totals are means of the days that have a value; `weightedAverage` is that of all orders. */
export const averageTimeSeries = timeSeries.extend({ weightedAverage: amount });
export type AverageTimeSeries = z.output<typeof averageTimeSeries>;

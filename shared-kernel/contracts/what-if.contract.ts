import { z } from 'zod';
import { discount } from '#entities/discount.entity.ts';
import { guid, type CurrencyOf } from '#fields/body-fields.ts';
import { calendarDay, checkDays } from './reporting.contract.ts';

/** What the sales of some days would have come to with another discount rule (docs/rules/what-if.md). */

/** `discount` or `without`; neither checks that the sales come out as they were recorded. */
export const whatIfBody = (currency: CurrencyOf) =>
  z
    .object({
      /** A rule that there was not; from the first day on unless it says when it starts. */
      discount: discount.createBody(currency).optional(),
      /** The id of a rule that there was, and is there no more. */
      without: guid.optional(),
      from: calendarDay,
      to: calendarDay,
      /** A rule with a code is taken as one that comes by itself: nobody knows who would have entered it. */
      asAutomatic: z.boolean().default(false),
    })
    .superRefine(({ from: start, to: end }, context) =>
      checkDays({ days: { start, end }, from: 'from', to: 'to' }, true, context),
    )
    .refine(({ discount: added, without }) => added === undefined || without === undefined, {
      path: ['without'],
      message: 'must be left out beside discount: one rule is changed at a time',
    })
    .refine(({ discount: added, asAutomatic }) => asAutomatic || added?.method !== 'Code', {
      path: ['asAutomatic'],
      message: 'must be true for a rule with a code: nobody knows who would have entered it',
    });

const salesFigures = z.object({
  sales: z.number(),
  discounts: z.number(),
  averageOrderValue: z.number(),
  /** Orders of which a discount took something off. */
  ordersTouched: z.int(),
  /** Uses of discount rules: each once an order. */
  uses: z.int(),
});

const bothSides = <Side extends z.ZodType>(side: Side) => z.object({ recorded: side, recomputed: side });

const ruleFigures = z.object({ uses: z.int(), takenOff: z.number() });

export const whatIfReasons = [
  'changed-at-that-moment',
  'tax-by-provider',
  'rounded-currency',
  'unexplained',
] as const;
export const whatIfLeftReasons = ['manual-order', 'edited-before-sale', 'no-placement'] as const;

/** Whether the sales come out as they were recorded where nothing is changed. */
const selfCheck = z.object({
  sales: z.int(),
  asRecorded: z.int(),
  /** Not recalculated: they stand on both sides as they were sold. */
  leftAsSold: z.array(z.object({ reason: z.enum(whatIfLeftReasons), sales: z.int() })),
  /** Likewise: they did not come out as they were recorded. The first of them are listed. */
  differenceCount: z.int(),
  differences: z.array(
    z.object({
      invoiceId: z.string(),
      invoiceNumber: z.string(),
      date: z.string(),
      reason: z.enum(whatIfReasons),
      figures: z.array(
        z.object({
          figure: z.string(),
          currency: z.string(),
          recorded: z.number(),
          recomputed: z.number(),
        }),
      ),
    }),
  ),
});

const whatIfResult = z.object({
  /** What the figures are, and what they leave out, for people. */
  notes: z.array(z.string()),
  from: z.string(),
  to: z.string(),
  currency: z.string(),
  /** The rule that is not as it was; null where nothing is changed. */
  rule: bothSides(ruleFigures)
    .extend({ change: z.enum(['added', 'removed']), id: z.string(), name: z.string() })
    .nullable(),
  orders: z.int(),
  /** Orders that would have come to another total. */
  ordersChanged: z.int(),
  check: selfCheck,
  total: bothSides(salesFigures),
  days: z.array(bothSides(salesFigures).extend({ date: z.string(), orders: z.int() })),
});
export type WhatIfAnswer = z.output<typeof whatIfResult>;

const whatIfProgress = z.object({
  phase: z.enum(['reading-cancellations', 'repricing', 'finished']),
  eventsRead: z.int(),
  eventsPerSecond: z.int(),
  /** From 0 to 1. */
  share: z.number(),
  /** Null while it cannot be told. */
  secondsLeft: z.int().nullable(),
  askedBy: z.string(),
  startedAt: z.string(),
});

export const whatIfStatuses = ['Running', 'Completed', 'Failed'] as const;

export const whatIfRun = z.object({
  id: guid,
  status: z.enum(whatIfStatuses),
  /** Why it failed. */
  message: z.string().nullable(),
  progress: whatIfProgress,
  /** Once it is completed. */
  result: whatIfResult.nullable(),
});
export type WhatIfRunAnswer = z.output<typeof whatIfRun>;

export const whatIfAccepted = z.object({ id: guid });

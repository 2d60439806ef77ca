import type { WhatIfAnswer, WhatIfRunAnswer } from '#contracts/what-if.contract.ts';
import { dayAfter } from '#values/business-day.ts';
import { scale, toDecimal, type Minor } from '#values/money.ts';
import type { WhatIfResult } from './replay-sales.ts';
import type { RuleCompared, SalesCompared, SalesFigures } from './sales-compared.ts';
import type { SelfCheck } from './self-check.ts';
import type { AskedWhatIf, RunProgress, WhatIfRun } from './what-if-runs.ts';

/** What the figures are, in words (docs/rules/what-if.md#what-it-says). */
const notesOf = ({ rule }: AskedWhatIf): string[] => [
  'A recalculation of the same baskets, not a forecast: who would have bought more, less or not at all is not known.',
  'Sales count as they were sold. Edits and refunds after the sale do not count, and cancelled sales are left out.',
  'A code that was refused, or fell off its basket, left no trace that could be counted.',
  ...(rule?.isAsAutomatic
    ? ['The new rule has a code and is taken as one that comes by itself: for every basket that it fits.']
    : []),
];

const none: SalesFigures = { sales: 0, discounts: 0, ordersTouched: 0, uses: 0 };

const sum = (one: SalesFigures, other: SalesFigures): SalesFigures => ({
  sales: one.sales + other.sales,
  discounts: one.discounts + other.discounts,
  ordersTouched: one.ordersTouched + other.ordersTouched,
  uses: one.uses + other.uses,
});

const total = (days: readonly SalesCompared[]): SalesCompared =>
  days.reduce<SalesCompared>(
    (all, { orders, recorded, recomputed }) => ({
      orders: all.orders + orders,
      recorded: sum(all.recorded, recorded),
      recomputed: sum(all.recomputed, recomputed),
    }),
    { orders: 0, recorded: none, recomputed: none },
  );

const shown = ({ orders, recorded, recomputed }: SalesCompared, currency: string) => {
  const side = ({ sales, discounts, ordersTouched, uses }: SalesFigures) => ({
    sales: toDecimal(sales, currency),
    discounts: toDecimal(discounts, currency),
    averageOrderValue: orders === 0 ? 0 : toDecimal(scale(sales, 1, orders), currency),
    ordersTouched,
    uses,
  });
  return { recorded: side(recorded), recomputed: side(recomputed) };
};

const daysBetween = (from: string, to: string): string[] => {
  const days: string[] = [];
  for (let day = from; day <= to; day = dayAfter(day)) days.push(day);
  return days;
};

const ruleShown = (
  { rule, currency }: AskedWhatIf,
  { recorded, recomputed }: RuleCompared,
): WhatIfAnswer['rule'] => {
  if (rule === null) return null;
  const side = ({ uses, takenOff }: { readonly uses: number; readonly takenOff: Minor }) => ({
    uses,
    takenOff: toDecimal(takenOff, currency),
  });
  const { change, id, name } = rule;
  return { change, id, name, recorded: side(recorded), recomputed: side(recomputed) };
};

const checkShown = ({ sales, asRecorded, left, reasons, differences }: SelfCheck): WhatIfAnswer['check'] => ({
  sales,
  asRecorded,
  leftAsSold: Object.entries(left).map(([reason, count]) => ({
    reason: reason as keyof typeof left,
    sales: count,
  })),
  differenceCount: Object.values(reasons).reduce((all, count) => all + count, 0),
  differences: differences.map(({ invoiceId, invoiceNumber, day, reason, figures }) => ({
    invoiceId,
    invoiceNumber,
    date: day,
    reason,
    figures: figures.map(({ figure, currency, recorded, recomputed }) => ({
      figure,
      currency,
      recorded: toDecimal(recorded, currency),
      recomputed: toDecimal(recomputed, currency),
    })),
  })),
});

/** A result as callers read it. */
export const whatIfAnswer = (asked: AskedWhatIf, result: WhatIfResult): WhatIfAnswer => {
  const { from, to, currency } = asked;
  const all = total(Object.values(result.days));
  return {
    notes: notesOf(asked),
    from,
    to,
    currency,
    rule: ruleShown(asked, result.rule),
    orders: all.orders,
    ordersChanged: result.ordersChanged,
    check: checkShown(result.check),
    total: shown(all, currency),
    days: daysBetween(from, to).map((date) => {
      const day = result.days[date] ?? { orders: 0, recorded: none, recomputed: none };
      return { date, orders: day.orders, ...shown(day, currency) };
    }),
  };
};

/** Of all the work, finding what was cancelled is the smaller part. */
const CANCELLATIONS = 0.1;

export const shareOf = ({ phase, position, head }: RunProgress): number => {
  if (phase === 'finished') return 1;
  const read = head === 0 ? 0 : Math.min(1, position / head);
  return phase === 'reading-cancellations'
    ? CANCELLATIONS * read
    : CANCELLATIONS + (1 - CANCELLATIONS) * read;
};

const progressOf = ({ progress, elapsedMs, askedBy, startedAt }: WhatIfRun): WhatIfRunAnswer['progress'] => {
  const { phase, eventsRead } = progress;
  const share = shareOf(progress);
  return {
    phase,
    eventsRead,
    eventsPerSecond: elapsedMs === 0 ? 0 : Math.round((eventsRead / elapsedMs) * 1000),
    share: Math.round(share * 1000) / 1000,
    secondsLeft: share === 0 ? null : Math.ceil((elapsedMs * (1 - share)) / share / 1000),
    askedBy,
    startedAt,
  };
};

export const whatIfRunAnswer = (run: WhatIfRun): WhatIfRunAnswer => ({
  id: run._id,
  status: run.status,
  message: run.message,
  progress: progressOf(run),
  result: run.result && whatIfAnswer(run.asked, run.result),
});

import type { DaySales } from '#projection/contexts/reporting/daily-sales.projection.ts';
import {
  figuresOf,
  type Period,
  type PeriodOptions,
} from '#projection/contexts/reporting/reporting.queries.ts';
import type { Window } from '#projection/contexts/reporting/report-window.ts';

/** What a report is made of: the days of a window out of those that are given. */
export const periodOf = (window: Window, days: Iterable<DaySales>, options: PeriodOptions = {}): Period => {
  const within = [...days].filter(({ _id: day }) => day >= window.start && day <= window.end);
  return {
    window,
    sales: new Map(within.map((day) => [day._id, figuresOf(day._id, day, window, options)])),
  };
};

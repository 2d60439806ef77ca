import type { ReportQuery } from '#contracts/reporting.contract.ts';
import { daysBetween } from '#values/business-day.ts';

/** Business days, both ends included, as `YYYY-MM-DD`. */
export interface Window {
  readonly start: string;
  readonly end: string;
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
/** A longer time series has its end cut off (docs/rules/reporting.md#time-series). */
const MAX_SERIES_DAYS = 730;

const instantOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

export const addDays = (day: string, count: number): string =>
  dayOf(instantOf(day) + count * DAY_MILLISECONDS);

export const lengthOf = ({ start, end }: Window): number => daysBetween(start, end) + 1;

/** The same day of the year before; 28 February for a 29th. */
export const yearBefore = (day: string): string => {
  const monthAndDay = day.slice(4) === '-02-29' ? '-02-28' : day.slice(4);
  return `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${monthAndDay}`;
};

export const isYearBefore = (one: Window, other: Window): boolean =>
  one.start === yearBefore(other.start) && one.end === yearBefore(other.end);

export const daysOf = (window: Window): string[] => {
  const first = instantOf(window.start);
  return Array.from({ length: lengthOf(window) }, (_, index) => dayOf(first + index * DAY_MILLISECONDS));
};

/** The window cut to the length of a time series. */
export const capped = (window: Window): Window => {
  const last = addDays(window.start, MAX_SERIES_DAYS - 1);
  return window.end > last ? { ...window, end: last } : window;
};

/** What a window is compared with; null for nothing. Custom without both dates means the days before. */
export const comparisonOf = (
  window: Window,
  query: Pick<ReportQuery, 'compareMode' | 'comparisonStartDate' | 'comparisonEndDate'>,
): Window | null => {
  const { compareMode, comparisonStartDate: start, comparisonEndDate: end } = query;
  if (compareMode === 'None') return null;
  if (compareMode === 'PreviousYear') {
    return { start: yearBefore(window.start), end: yearBefore(window.end) };
  }
  if (compareMode === 'Custom' && start !== undefined && end !== undefined) return { start, end };
  return { start: addDays(window.start, -lengthOf(window)), end: addDays(window.start, -1) };
};

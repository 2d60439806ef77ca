import type { Interval } from '#contracts/figure-series.contract.ts';
import { addDays, isYearBefore, lengthOf, yearBefore, type Window } from './report-window.ts';

/** The first day after an interval that a day is in: weeks begin on Monday. */
const nextStart = (day: string, interval: Interval): string => {
  if (interval === 'day') return addDays(day, 1);
  const date = new Date(`${day}T00:00:00Z`);
  if (interval === 'week') return addDays(day, (8 - date.getUTCDay()) % 7 || 7);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)).toISOString().slice(0, 10);
};

/** The days, weeks or months of a window: the first and the last have only what is in it. */
export const partsOf = (window: Window, interval: Interval): readonly Window[] => {
  const parts: Window[] = [];
  for (let start = window.start; start <= window.end;) {
    const next = nextStart(start, interval);
    const last = addDays(next, -1);
    parts.push({ start, end: last < window.end ? last : window.end });
    start = next;
  }
  return parts;
};

const earlier = (one: string, other: string): string => (one < other ? one : other);

/**
 * What each part is compared with: the days at the same places in the comparison, or none. A year before, weeks and
 * months have their own dates, so that a March stands beside a March.
 */
export const partsBeside = (
  parts: readonly Window[],
  window: Window,
  comparison: Window,
  interval: Interval,
): readonly (Window | null)[] => {
  const byDate = interval !== 'day' && isYearBefore(comparison, window);
  let place = 0;
  const starts = parts.map((part) => {
    const beside = byDate ? yearBefore(part.start) : addDays(comparison.start, place);
    place += lengthOf(part);
    return beside;
  });
  const after = byDate ? addDays(comparison.end, 1) : addDays(comparison.start, place);
  return starts.map((start, index) =>
    start > comparison.end
      ? null
      : { start, end: earlier(addDays(starts[index + 1] ?? after, -1), comparison.end) },
  );
};

import { isoInstant } from '#kernel/clock.ts';
import { madeAt } from '#kernel/ids.ts';
import { invalidRequest } from '#kernel/rejection.ts';
import { dayAfter, startOfNamedDay } from '#values/business-day.ts';
import type { EventFilter } from './event-filter.ts';
import { CLOCKS_APART_MILLISECONDS } from './kept-time-blocks.ts';

/** As callers name it: a day, of which its beginning or its end is meant, or an instant in milliseconds. */
export type NamedMoment =
  | { readonly kind: 'day'; readonly day: string }
  | { readonly kind: 'instant'; readonly instant: number };

/** When what is wanted was recorded, in milliseconds since 1970; both included. */
export interface TimeRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface RangeClock {
  readonly now: number;
  /** How far the shop's clock is ahead of that of the ids. */
  readonly offset: number;
  readonly timeZone: string;
}

export const rangeTexts = ({ from, to }: TimeRange) => ({
  from: from === undefined ? null : isoInstant(from),
  to: to === undefined ? null : isoInstant(to),
});

/** What a caller says of where to look. */
export interface AskedRange extends Pick<EventFilter, 'stream' | 'correlationId'> {
  readonly from?: NamedMoment | undefined;
  readonly to?: NamedMoment | undefined;
  readonly position?: number | undefined;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const firstOf = (moment: NamedMoment, timeZone: string): number =>
  moment.kind === 'instant' ? moment.instant : startOfNamedDay(moment.day, timeZone);

const lastOf = (moment: NamedMoment, timeZone: string): number =>
  moment.kind === 'instant' ? moment.instant : startOfNamedDay(dayAfter(moment.day), timeZone) - 1;

/** What a request causes, it causes within an hour; null for an id that does not say when it was made. */
export const rangeOfCorrelation = (id: string, { now, offset }: RangeClock): Required<TimeRange> | null => {
  const made = madeAt(id);
  if (made === null || made > now + CLOCKS_APART_MILLISECONDS) return null;
  return { from: made - CLOCKS_APART_MILLISECONDS, to: made + Math.max(0, offset) + HOUR };
};

/**
 * The stretch of time that a search looks through: what it names; else that of its correlation id, or the last 24 hours
 * where neither a stream nor a position bounds it.
 */
export const timeRangeOf = (
  { from, to, stream, correlationId, position }: AskedRange,
  clock: RangeClock,
): TimeRange => {
  const { now, timeZone } = clock;
  const range = {
    ...(from && { from: firstOf(from, timeZone) }),
    ...(to && { to: lastOf(to, timeZone) }),
  };
  if (range.from !== undefined && range.to !== undefined && range.from > range.to)
    throw invalidRequest('from: must not be after "to"');
  if (from || to || stream !== undefined) return range;
  const ofCorrelation = correlationId === undefined ? null : rangeOfCorrelation(correlationId, clock);
  if (ofCorrelation) return ofCorrelation;
  return position === undefined ? { from: now - DAY } : {};
};

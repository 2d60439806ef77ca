import type { QuotedOption } from './quote-shipping.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

const midnight = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The options of a quote arrive on the same few days. */
const days = new Map<number, string>();
const MAX_DAYS = 1000;

const dayOf = (instant: number): string => {
  const day = Math.floor(instant / DAY);
  const known = days.get(day);
  if (known !== undefined) return known;
  const text = new Date(instant).toISOString().slice(0, 10);
  if (days.size >= MAX_DAYS) days.clear();
  days.set(day, text);
  return text;
};

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/**
 * The calendar day (UTC) on which goods that are ordered now arrive at the latest: today + `daysTo`; tomorrow for a
 * next-day option, a day later from the minute of its cut-off on (docs/rules/shipping.md#dates).
 */
export const estimatedDelivery = (
  { isNextDay, nextDayCutOffTime, daysTo }: Pick<QuotedOption, 'isNextDay' | 'nextDayCutOffTime' | 'daysTo'>,
  now: number,
): string => {
  if (!isNextDay) return dayOf(now + daysTo * DAY);
  const minute = Math.floor((now % DAY) / MINUTE);
  const isTooLate = nextDayCutOffTime !== null && minute >= minuteOf(nextDayCutOffTime);
  return dayOf(now + (isTooLate ? 2 : 1) * DAY);
};

/**
 * The days on which a date may be asked for are counted from `today` (`YYYY-MM-DD`). False for one that is not offered.
 */
export const isDeliveryDateOffered = (option: QuotedOption, date: string, today: string): boolean => {
  if (!option.allowsDeliveryDateSelection || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return false;
  const wanted = midnight(date);
  if (Number.isNaN(wanted) || dayOf(wanted) !== date) return false;
  const days = (wanted - midnight(today)) / DAY;
  if (days < (option.minDeliveryDays ?? 0)) return false;
  if (option.maxDeliveryDays !== null && days > option.maxDeliveryDays) return false;
  return option.allowedDaysOfWeek === null || option.allowedDaysOfWeek.includes(new Date(wanted).getUTCDay());
};

/** How long the time is that a point stands for. */
export type ChartInterval = 'day' | 'week' | 'month';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const partsOf = (date: string) => ({
  year: date.slice(0, 4),
  month: months[Number(date.slice(5, 7)) - 1] ?? '',
  day: String(Number(date.slice(8, 10))),
});

/** `4 Mar 2026` of a `YYYY-MM-DD`, or of an instant that begins with one. */
export const shownDay = (date: string): string => {
  const { year, month, day } = partsOf(date);
  return `${day} ${month} ${year}`;
};

/** `1 to 31 Mar 2026`: what both days share is said once. */
export const shownDays = (start: string, end: string): string => {
  if (start === end) return shownDay(start);
  const { year, month, day } = partsOf(start);
  const last = partsOf(end);
  const isSameYear = year === last.year;
  const first = isSameYear ? (month === last.month ? day : `${day} ${month}`) : shownDay(start);
  return `${first} to ${shownDay(end)}`;
};

/** What a point stands for, given its first day. */
export const shownInterval = (date: string, interval: ChartInterval): string => {
  const { year, month } = partsOf(date);
  if (interval === 'month') return `${month} ${year}`;
  return interval === 'week' ? `week of ${shownDay(date)}` : shownDay(date);
};

/** Below an axis: the year only where it is news. */
export const axisLabel = (date: string, before: string | undefined, interval: ChartInterval): string => {
  const { year, month, day } = partsOf(date);
  const label = interval === 'month' ? month : `${day} ${month}`;
  return before !== undefined && before.slice(0, 4) === year ? label : `${label} ${year}`;
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar day of an instant (milliseconds) in a time zone, `YYYY-MM-DD`. */
export const businessDay = (milliseconds: number, timeZone: string): string => {
  if (timeZone === 'UTC') return new Date(milliseconds).toISOString().slice(0, 10);
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return format.format(milliseconds);
};

const LONGEST_DAY = 26 * 3_600_000;

/** The first instant (milliseconds) of the day that an instant belongs to: looked for, as clocks may change on it. */
export const startOfDay = (milliseconds: number, timeZone: string): number => {
  const day = businessDay(milliseconds, timeZone);
  let before = milliseconds - LONGEST_DAY;
  let within = milliseconds;
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (businessDay(middle, timeZone) === day) within = middle;
    else before = middle;
  }
  return within;
};

/** True for a `YYYY-MM-DD` that is in the calendar: 31 June is not. */
export const isCalendarDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const instant = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().slice(0, 10) === text;
};

/** `YYYY-MM` of a `YYYY-MM-DD`. */
export const monthOf = (day: string): string => day.slice(0, 7);

const DAY_MILLISECONDS = 24 * 3_600_000;

/** The calendar day before a day, both `YYYY-MM-DD`. */
export const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MILLISECONDS).toISOString().slice(0, 10);

/** How many days the second day is after the first, both `YYYY-MM-DD`; negative if it is before. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS);

/** The calendar day after a day, both `YYYY-MM-DD`. */
export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MILLISECONDS).toISOString().slice(0, 10);

const NOON = 12 * 3_600_000;

/** The first instant (milliseconds) of a day `YYYY-MM-DD` of a time zone. */
export const startOfNamedDay = (day: string, timeZone: string): number => {
  const noon = Date.parse(`${day}T12:00:00Z`);
  const there = businessDay(noon, timeZone);
  // Far from Greenwich its noon is another day.
  return startOfDay(there === day ? noon : noon + (there > day ? -NOON : NOON), timeZone);
};

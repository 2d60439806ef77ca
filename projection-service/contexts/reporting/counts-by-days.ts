/**
 * Counts by a number of days in one short text, the most days first: how many days, or how many fewer than before, in
 * letters (a = 1, z = 26, aa = 27), then the count. `l3b12` is 3 after twelve days and 12 after ten. A day has hundreds
 * of such counts, and a report reads two years of days: a text is loaded without being parsed, and counted as far as
 * need be.
 *
 * Counts are signed; one of 0 is left out, and none is of less than a day.
 */
export type CountsByDays = string;

export const noCounts: CountsByDays = '';

const LETTERS = 26;
const [DIGIT_0, DIGIT_9, MINUS, BEFORE_A] = [48, 57, 45, 96] as const;

interface Entry {
  readonly days: number;
  readonly count: number;
  /** Where its text begins and ends. */
  readonly start: number;
  readonly end: number;
}

/** The entry that begins at a place, after one of `daysBefore` days; null at the end. */
const entryAt = (text: CountsByDays, start: number, daysBefore: number | null): Entry | null => {
  if (start >= text.length) return null;
  let at = start;
  let code = text.charCodeAt(at);
  let letters = 0;
  for (; code > BEFORE_A; code = text.charCodeAt(++at)) letters = letters * LETTERS + code - BEFORE_A;
  const isNegative = code === MINUS;
  if (isNegative) code = text.charCodeAt(++at);
  let count = 0;
  for (; code >= DIGIT_0 && code <= DIGIT_9; code = text.charCodeAt(++at))
    count = count * 10 + code - DIGIT_0;
  return {
    days: daysBefore === null ? letters : daysBefore - letters,
    count: isNegative ? -count : count,
    start,
    end: at,
  };
};

const entryText = (daysBefore: number | null, days: number, count: number): string => {
  let letters = '';
  for (
    let left = daysBefore === null ? days : daysBefore - days;
    left > 0;
    left = Math.floor((left - 1) / LETTERS)
  )
    letters = String.fromCharCode(BEFORE_A + 1 + ((left - 1) % LETTERS)) + letters;
  return `${letters}${count}`;
};

/** The counts with one of them changed. Errors: RangeError for less than a day. */
export const withCount = (text: CountsByDays, days: number, change: number): CountsByDays => {
  if (days < 1) throw new RangeError('counts by days: must be of a day or more');
  if (change === 0) return text;
  let before: number | null = null;
  let found = entryAt(text, 0, before);
  while (found && found.days > days) {
    before = found.days;
    found = entryAt(text, found.end, before);
  }
  if (!found) return text + entryText(before, days, change);
  const [head, tail] = [text.slice(0, found.start), text.slice(found.end)];
  if (found.days < days)
    return head + entryText(before, days, change) + entryText(days, found.days, found.count) + tail;
  const count = found.count + change;
  if (count !== 0) return head + entryText(before, days, count) + tail;
  const next = entryAt(text, found.end, days);
  return next ? head + entryText(before, next.days, next.count) + text.slice(next.end) : head;
};

/** The sum of the counts over more than `days` days. */
export const countOver = (text: CountsByDays, days: number): number => {
  let sum = 0;
  for (
    let entry = entryAt(text, 0, null);
    entry && entry.days > days;
    entry = entryAt(text, entry.end, entry.days)
  )
    sum += entry.count;
  return sum;
};

/**
 * Counts by a number of days in one short text: a gap in letters (a = 1, z = 26, aa = 27), then the count. `a3b12` is 3
 * after one day and 12 after three. A day has hundreds of such counts, and a report reads two years of days: a text is
 * loaded without being parsed, and counted in one pass.
 *
 * Counts are signed; one of 0 is left out. None is of 0 days, and only the first gap may be negative: in capitals.
 */
export type CountsByDays = string;

export const noCounts: CountsByDays = '';

const LETTERS = 26;
const [DIGIT_0, DIGIT_9, MINUS] = [48, 57, 45] as const;
/** The codes before `A` and `a`. */
const [CAPITALS, LETTERS_FROM] = [64, 96] as const;

interface Entry {
  readonly days: number;
  readonly count: number;
  /** Where its text begins and ends. */
  readonly start: number;
  readonly end: number;
}

/** The entry that begins at a place, after one of so many days; null at the end. */
const entryAt = (text: CountsByDays, start: number, daysBefore: number): Entry | null => {
  if (start >= text.length) return null;
  let at = start;
  let code = text.charCodeAt(at);
  const isBack = code < LETTERS_FROM;
  const base = isBack ? CAPITALS : LETTERS_FROM;
  let gap = 0;
  for (; code > CAPITALS; code = text.charCodeAt(++at)) gap = gap * LETTERS + code - base;
  const isNegative = code === MINUS;
  if (isNegative) code = text.charCodeAt(++at);
  let count = 0;
  for (; code >= DIGIT_0 && code <= DIGIT_9; code = text.charCodeAt(++at))
    count = count * 10 + code - DIGIT_0;
  return {
    days: daysBefore + (isBack ? -gap : gap),
    count: isNegative ? -count : count,
    start,
    end: at,
  };
};

const gapText = (gap: number): string => {
  const base = gap < 0 ? CAPITALS : LETTERS_FROM;
  let text = '';
  for (let left = Math.abs(gap); left > 0; left = Math.floor((left - 1) / LETTERS))
    text = String.fromCharCode(base + 1 + ((left - 1) % LETTERS)) + text;
  return text;
};

const entryText = (gap: number, count: number): string => `${gapText(gap)}${count}`;

/** The counts with one of them changed. Errors: RangeError for 0 days. */
export const withCount = (text: CountsByDays, days: number, change: number): CountsByDays => {
  if (days === 0) throw new RangeError('counts by days: must be of another day');
  if (change === 0) return text;
  let before = 0;
  let found = entryAt(text, 0, 0);
  while (found && found.days < days) {
    before = found.days;
    found = entryAt(text, found.end, before);
  }
  if (!found) return text + entryText(days - before, change);
  const [head, tail] = [text.slice(0, found.start), text.slice(found.end)];
  if (found.days > days)
    return head + entryText(days - before, change) + entryText(found.days - days, found.count) + tail;
  const count = found.count + change;
  if (count !== 0) return head + entryText(days - before, count) + tail;
  const next = entryAt(text, found.end, days);
  return next ? head + entryText(next.days - before, next.count) + text.slice(next.end) : head;
};

/** The sum of the counts of up to so many days. */
export const countUpTo = (text: CountsByDays, days: number): number => {
  let sum = 0;
  for (
    let entry = entryAt(text, 0, 0);
    entry && entry.days <= days;
    entry = entryAt(text, entry.end, entry.days)
  )
    sum += entry.count;
  return sum;
};

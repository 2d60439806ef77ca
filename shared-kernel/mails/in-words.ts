/** `1 March 2026`: an instant as people where the shop is read it. */
export const dayInWords = (instant: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(Date.parse(instant));

/** Likewise of a business day. */
export const businessDayInWords = (day: string): string => dayInWords(day, 'UTC');

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

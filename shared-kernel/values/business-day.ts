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

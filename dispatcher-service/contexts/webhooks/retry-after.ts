const inSeconds = /^\d+$/;
const inWords = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;

/** An HTTP date, in any of its three forms; one form leaves its zone out, which is GMT. */
const dateOf = (text: string): number =>
  inWords.test(text) ? Date.parse(/ GMT$/i.test(text) ? text : `${text} GMT`) : Number.NaN;

/** When a receiver wants to be asked again, by its header `Retry-After`, in ms; null when that cannot be read. */
export const retryAfter = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? '';
  const at = inSeconds.test(text) ? now + Number(text) * 1000 : dateOf(text);
  return Number.isNaN(at) ? null : at;
};

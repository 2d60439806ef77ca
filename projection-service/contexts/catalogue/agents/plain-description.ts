const MAX_ENTITY = 10;
const signs: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const signOf = (whole: string, name: string): string => {
  if (!name.startsWith('#')) return signs[name.toLowerCase()] ?? whole;
  const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ' ';
};

const entity = new RegExp(`&(#?\\w{1,${MAX_ENTITY}});`, 'g');

/** A description as it is read aloud: without the tags of a page, in at most so many characters. */
export const plainDescription = (html: string, most: number): string => {
  const text = html
    .replace(/<[^<>]*>/g, ' ')
    .replace(entity, signOf)
    .replace(/\s+/g, ' ')
    .trim();
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
};

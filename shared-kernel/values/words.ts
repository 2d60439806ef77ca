/** Letters that are no letter with an accent, and what people type for them. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/** `Crème Brûlée` → `creme brulee`: how texts are compared regardless of capitals and accents. */
export const plainText = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : withoutAccents(text);

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text);

const withoutAccents = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđðłþı]/g, (letter) => plainLetters[letter] ?? letter);

/** A text of a page without what only lays it out. */
export const withoutTags = (html: string): string => html.replace(/<[^<>]*>|&#?\w{1,10};/g, ' ');

/** Longer ones are addresses and the like. */
const MAX_LETTERS = 30;

/** The first different words of a text. */
export const distinctWords = (text: string, most: number): readonly string[] => {
  const words = new Set<string>();
  for (const word of wordsOf(text)) {
    if (words.size === most) break;
    if (word.length <= MAX_LETTERS) words.add(word);
  }
  return [...words];
};

/** The words of a text, plain; `TEA-50` has two. */
export const wordsOf = (text: string): readonly string[] => plainText(text).match(/[\p{L}\p{N}]+/gu) ?? [];

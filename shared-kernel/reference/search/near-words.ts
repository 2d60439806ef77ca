/** Words shorter than this are too like each other. */
const FEWEST_LETTERS = 5;
const MOST_LETTERS = 30;

/** Whether one typing error is forgiven in a word. A number with another digit is another number. */
export const mayBeMistyped = (word: string): boolean =>
  word.length >= FEWEST_LETTERS && word.length <= MOST_LETTERS && !/\p{N}/u.test(word);

/** What has been compared of a word so far. */
type Verdict = 'near' | 'far' | 'open';

/**
 * Compares the beginnings of words with one that may have a typing error: a letter too many, one too few, another one,
 * or two that have changed places. Row by row, a letter of the word each; words that begin alike share their rows.
 */
const createComparison = (wanted: string) => {
  const width = wanted.length + 1;
  const rows = Array.from({ length: width + 2 }, () => new Uint8Array(width));
  rows[0]?.forEach((_, place, row) => (row[place] = place));

  const cell = (row: number, place: number): number => rows[row]?.[place] ?? width;
  const isTurned = (word: string, depth: number, place: number): boolean =>
    depth > 1 && place > 1 && word[depth - 1] === wanted[place - 2] && word[depth - 2] === wanted[place - 1];

  return {
    /** The verdict on the first `depth` letters; those before them have been compared. */
    compare: (word: string, depth: number): Verdict => {
      const row = rows[depth];
      if (row === undefined) return 'far';
      const letter = word[depth - 1];
      row[0] = depth;
      let least = depth;
      for (let place = 1; place < width; place++) {
        const isSame = letter === wanted[place - 1];
        let errors = Math.min(
          cell(depth - 1, place - 1) + (isSame ? 0 : 1),
          cell(depth - 1, place) + 1,
          cell(depth, place - 1) + 1,
        );
        if (isTurned(word, depth, place)) errors = Math.min(errors, cell(depth - 2, place - 2) + 1);
        row[place] = errors;
        least = Math.min(least, errors);
      }
      return (row[width - 1] ?? width) <= 1 ? 'near' : least > 1 ? 'far' : 'open';
    },
  };
};

/** The first place from which on words no longer begin so; the word at `from` does. */
const endOfBeginning = (sorted: readonly string[], from: number, beginning: string): number => {
  let [low, step] = [from, 1];
  while (sorted[low + step]?.startsWith(beginning) === true) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, sorted.length);
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]?.startsWith(beginning) === true) low = middle;
    else high = middle;
  }
  return high;
};

const sharedLetters = (one: string, other: string): number => {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count++;
  return count;
};

/**
 * Where in sorted words there are some that begin with the wanted one but for one typing error: pairs of the first
 * place and the one behind the last. Of words that begin alike and cannot be meant any more, the first alone is looked
 * at.
 */
export const placesNear = (
  sorted: readonly string[],
  wanted: string,
): readonly (readonly [from: number, to: number])[] => {
  const { compare } = createComparison(wanted);
  const found: (readonly [number, number])[] = [];
  let [place, known, compared] = [0, '', 0];
  while (place < sorted.length) {
    const word = sorted[place] ?? '';
    let depth = Math.min(sharedLetters(word, known), compared);
    let verdict: Verdict = 'open';
    while (verdict === 'open' && depth < word.length) verdict = compare(word, ++depth);
    [known, compared] = [word, depth];
    const end = verdict === 'open' ? place + 1 : endOfBeginning(sorted, place, word.slice(0, depth));
    if (verdict === 'near') found.push([place, end]);
    place = end;
  }
  return found;
};

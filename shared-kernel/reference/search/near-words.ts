/** Words shorter than this are too like each other. */
const FEWEST_LETTERS = 5;
const MOST_LETTERS = 30;

/** Whether one typing error is forgiven in a word. A number with another digit is another number. */
export const mayBeMistyped = (word: string): boolean =>
  word.length >= FEWEST_LETTERS && word.length <= MOST_LETTERS && !/\p{N}/u.test(word);

/** Words of a sorted list that stand together: the first place, and the one behind the last. */
type Places = readonly [from: number, to: number];

/** The first place from which on this is so. */
const firstWhere = ([from, to]: Places, isSo: (place: number) => boolean): number => {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

const beginningWith = (sorted: readonly string[], among: Places, beginning: string): Places => {
  const from = firstWhere(among, (place) => (sorted[place] ?? '') >= beginning);
  if (from === among[1] || sorted[from]?.startsWith(beginning) !== true) return [from, from];
  return [from, firstWhere([from, among[1]], (place) => sorted[place]?.startsWith(beginning) !== true)];
};

/** Words that are alike up to here, by the letter that comes next; those that end here have none. */
function* byLetter(
  sorted: readonly string[],
  [from, to]: Places,
  at: number,
): Generator<readonly [letter: string, Places]> {
  let place = from;
  while (place < to) {
    const letter = sorted[place]?.[at];
    const first = place;
    place = letter === undefined ? place + 1 : firstWhere([place, to], (one) => sorted[one]?.[at] !== letter);
    if (letter !== undefined) yield [letter, [first, place]];
  }
}

/** In the order of the list, without those that are within others: none overlap otherwise. */
const outermost = (all: readonly Places[]): readonly Places[] => {
  let end = 0;
  return all
    .toSorted(([one, oneEnd], [other, otherEnd]) => one - other || otherEnd - oneEnd)
    .filter(([, to]) => {
      const isWithin = to <= end;
      end = Math.max(end, to);
      return !isWithin;
    });
};

/**
 * Where in sorted words there are some that begin with the wanted one but for one typing error: a letter too many, one
 * too few, another one, or two that have changed places. Up to the error words are alike: what comes after it is
 * looked up for each letter that any of them goes on with.
 */
export const placesNear = (sorted: readonly string[], wanted: string): readonly Places[] => {
  const found: Places[] = [];
  const look = (among: Places, beginning: string): void => {
    const places = beginningWith(sorted, among, beginning);
    if (places[0] < places[1]) found.push(places);
  };
  let alike: Places = [0, sorted.length];
  const last = wanted.length - 1;
  // Whatever is wrong with the last letter.
  look(alike, wanted.slice(0, last));
  for (let at = 0; at < last && alike[0] < alike[1]; at++) {
    const before = wanted.slice(0, at);
    const [letter = '', next = ''] = [wanted[at], wanted[at + 1]];
    const rest = wanted.slice(at + 1);
    look(alike, before + rest);
    look(alike, before + next + letter + wanted.slice(at + 2));
    for (const [other, some] of byLetter(sorted, alike, at)) {
      look(some, before + other + rest);
      look(some, before + other + letter + rest);
    }
    alike = beginningWith(sorted, alike, before + letter);
  }
  return outermost(found);
};

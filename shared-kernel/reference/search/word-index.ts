import { placesNear } from './near-words.ts';
import { createNumberLists } from './number-lists.ts';

/** Slots, each with how much a word in it counts, 0 to 3, in one number: those of `codes` between, until a change. */
export interface Posting {
  readonly codes: Uint32Array;
  readonly from: number;
  readonly to: number;
}

export const posted = (slot: number, weight: number): number => slot * 4 + weight;
export const slotIn = (code: number): number => code >>> 2;
export const weightIn = (code: number): number => code & 3;

/** Slots by key. Each key has a number while anything is posted under it. */
export const createPostings = () => {
  const lists = createNumberLists();
  const numbers = new Map<string, number>();
  const names: (string | undefined)[] = [];
  const free: number[] = [];
  return {
    get: (key: string): Posting | undefined => {
      const list = numbers.get(key);
      if (list === undefined) return undefined;
      const from = lists.startOf(list);
      return { codes: lists.memory(), from, to: from + lists.lengthOf(list) };
    },
    has: (key: string): boolean => numbers.has(key),
    lengthOf: (key: string): number => lists.lengthOf(numbers.get(key) ?? -1),
    keys: (): IterableIterator<string> => numbers.keys(),
    numberOf: (key: string): number | undefined => numbers.get(key),
    nameOf: (number: number): string => names[number] ?? '',
    /** All numbers are below. */
    numbers: (): number => names.length,
    /** Whether the key is new. */
    add: (key: string, code: number): boolean => {
      const known = numbers.get(key);
      const list = known ?? free.pop() ?? names.length;
      lists.push(list, code);
      if (known !== undefined) return false;
      numbers.set(key, list);
      names[list] = key;
      return true;
    },
    remove: (key: string, code: number): void => {
      const list = numbers.get(key);
      if (list === undefined) return;
      lists.remove(list, code);
      if (lists.lengthOf(list) > 0) return;
      numbers.delete(key);
      names[list] = undefined;
      free.push(list);
    },
  };
};
export type Postings = ReturnType<typeof createPostings>;

/** A posting that a word leads to; `isWhole`: the word itself, not only its beginning. */
export interface FoundPosting extends Posting {
  readonly isWhole: boolean;
}

const firstFrom = (sorted: readonly string[], word: string): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < word) low = middle + 1;
    else high = middle;
  }
  return low;
};

const merged = (one: readonly string[], other: readonly string[]): string[] => {
  const all: string[] = [];
  let next = 0;
  for (const word of one) {
    for (let more = other[next]; more !== undefined && more <= word; more = other[++next])
      if (more !== word) all.push(more);
    all.push(word);
  }
  return [...all, ...other.slice(next)];
};

/** New words stand in a short list of their own until there are more of them: to move the long one takes longer. */
const MAX_RECENT = 2000;

/** Words and the slots that have them, found by their beginnings, and with a typing error. */
export const createWords = () => {
  const postings = createPostings();
  let sorted: readonly string[] = [];
  let recent: string[] = [];
  let isLaid = false;

  const sortIn = (word: string): void => {
    // A word that was given up and comes back may stand there still.
    if (sorted[firstFrom(sorted, word)] === word) return;
    const place = firstFrom(recent, word);
    if (recent[place] !== word) recent.splice(place, 0, word);
    if (recent.length <= MAX_RECENT) return;
    sorted = merged(sorted, recent).filter(postings.has);
    recent = [];
  };
  const found = (word: string | undefined, wanted: string): readonly FoundPosting[] => {
    const posting = word === undefined ? undefined : postings.get(word);
    return posting === undefined ? [] : [{ ...posting, isWhole: word === wanted }];
  };

  return {
    /** Everything so far is sorted at once: word by word that would take long. */
    lay: (): void => {
      sorted = [...postings.keys()].sort();
      isLaid = true;
    },
    add: (word: string, code: number): void => {
      if (postings.add(word, code) && isLaid) sortIn(word);
    },
    remove: postings.remove,
    is: (word: string): readonly FoundPosting[] => found(word, word),
    /** Whether any word begins so. */
    knows: (word: string): boolean =>
      [sorted, recent].some((words) => {
        for (let place = firstFrom(words, word); words[place]?.startsWith(word) === true; place++)
          if (postings.has(words[place] ?? '')) return true;
        return false;
      }),
    beginningWith: (word: string): readonly FoundPosting[] =>
      [sorted, recent].flatMap((words) => {
        const all: FoundPosting[] = [];
        for (let place = firstFrom(words, word); words[place]?.startsWith(word) === true; place++)
          all.push(...found(words[place], word));
        return all;
      }),
    /** Words that begin with this one but for a typing error. */
    near: (word: string): readonly FoundPosting[] =>
      [sorted, recent].flatMap((words) =>
        placesNear(words, word).flatMap(([from, to]) =>
          words.slice(from, to).flatMap((one) => found(one, word)),
        ),
      ),
  };
};
export type Words = ReturnType<typeof createWords>;

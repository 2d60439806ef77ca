/** A slot and how much a word in it counts, 1 to 3, in one number. */
export type Posting = readonly number[];

export const posted = (slot: number, weight: number): number => slot * 4 + weight;
export const slotIn = (code: number): number => code >> 2;
export const weightIn = (code: number): number => code & 3;

/** Slots by key. */
export const createPostings = () => {
  const postings = new Map<string, number[]>();
  return {
    get: (key: string): Posting | undefined => postings.get(key),
    keys: (): IterableIterator<string> => postings.keys(),
    /** Whether the key is new. */
    add: (key: string, code: number): boolean => {
      const known = postings.get(key);
      if (known) known.push(code);
      else postings.set(key, [code]);
      return known === undefined;
    },
    remove: (key: string, code: number): void => {
      const known = postings.get(key);
      const place = known?.indexOf(code) ?? -1;
      const last = place < 0 ? undefined : known?.pop();
      if (known && last !== undefined && last !== code) known[place] = last;
      if (known?.length === 0) postings.delete(key);
    },
  };
};

/** A posting that a word leads to; `isWhole`: the word itself, not only its beginning. */
export interface FoundPosting {
  readonly posting: Posting;
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

/** Words and the entries that have them, found by their beginnings. New words are sorted in when the index is read. */
export const createWords = () => {
  const postings = createPostings();
  let sorted: readonly string[] = [];
  let fresh: string[] = [];
  const settle = (): void => {
    if (fresh.length === 0) return;
    const known = sorted.filter((word) => postings.get(word) !== undefined);
    sorted = merged(known, [...new Set(fresh)].sort());
    fresh = [];
  };
  return {
    add: (word: string, code: number): void => {
      if (postings.add(word, code)) fresh.push(word);
      if (fresh.length > MAX_FRESH) settle();
    },
    remove: postings.remove,
    beginningWith: (word: string): readonly FoundPosting[] => {
      settle();
      const found: FoundPosting[] = [];
      for (let place = firstFrom(sorted, word); sorted[place]?.startsWith(word) === true; place++) {
        const posting = postings.get(sorted[place] ?? '');
        if (posting) found.push({ posting, isWhole: sorted[place] === word });
      }
      return found;
    },
  };
};

/** More new words than this are sorted in at once, so that the next reader does not wait for a whole import. */
const MAX_FRESH = 2000;

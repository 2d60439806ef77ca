interface Chunk<Value> {
  readonly entries: Map<string, Value>;
  /** Position of the last event that changed it. */
  changedAt: number;
  /** Being written: the next change makes a copy first. */
  isTaken: boolean;
}

/** A chunk as it was when it was taken. */
export interface TakenChunk {
  readonly place: number;
  readonly changedAt: number;
  /** In a fixed order: the same chunk is always written the same way. */
  entries(): readonly (readonly [key: string, kept: unknown])[];
}

/** All chunks at one moment. */
export interface TakenChunks {
  /** When each has changed last; null where it is empty. */
  readonly changedAt: readonly (number | null)[];
  /** Those that were asked for. */
  readonly chunks: readonly TakenChunk[];
}

export interface ChunkedOptions<Value> {
  /** How a value is kept. Default: as it is. */
  readonly keep?: (value: Value, key: string) => unknown;
  /** One chunk only, which comes back in the order of its making: for the few, where the order means something. */
  readonly isOrdered?: boolean;
}

const ENTRIES_PER_CHUNK = 256;
/** The ends of ids differ. */
const HASHED_CHARACTERS = 8;

const hashOf = (key: string): number => {
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, key.length - HASHED_CHARACTERS); at < key.length; at++)
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
};

const emptyChunk = <Value>(changedAt = 0): Chunk<Value> => ({
  entries: new Map(),
  changedAt,
  isTaken: false,
});

const compareKeys = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/**
 * A map in chunks, each of which knows the last event that changed it, so that a snapshot writes what is new and
 * nothing else. Which chunk a key is in follows from the keys alone, in every process alike. Values are replaced, never
 * changed.
 */
export class ChunkedEntries<Value> {
  readonly #keep: (value: Value, key: string) => unknown;
  readonly #isOrdered: boolean;
  #chunks: Chunk<Value>[] = [emptyChunk()];
  #size = 0;
  #position = 0;
  #changes = 0;

  constructor({ keep = (value) => value, isOrdered = false }: ChunkedOptions<Value> = {}) {
    this.#keep = keep;
    this.#isOrdered = isOrdered;
  }

  get size(): number {
    return this.#size;
  }

  /** How often anything in them has changed: the same number, the same entries. */
  get changes(): number {
    return this.#changes;
  }

  get(key: string): Value | undefined {
    return this.#chunks[this.#placeOf(key)]?.entries.get(key);
  }

  set(key: string, value: Value): void {
    const { entries } = this.#toChange(this.#placeOf(key));
    if (!entries.has(key)) this.#size++;
    entries.set(key, value);
    if (!this.#isOrdered && this.#size > ENTRIES_PER_CHUNK * this.#chunks.length) this.#double();
  }

  delete(key: string): void {
    if (this.get(key) === undefined) return;
    this.#toChange(this.#placeOf(key)).entries.delete(key);
    this.#size--;
  }

  *values(): IterableIterator<Value> {
    for (const { entries } of this.#chunks) yield* entries.values();
  }

  /** Changes from here on are those of the event at this position. */
  at(position: number): void {
    this.#position = position;
  }

  /** Empty, in this many chunks. */
  layOut(chunks = 1): void {
    this.#chunks = Array.from({ length: chunks }, () => emptyChunk<Value>());
    this.#size = 0;
    this.#changes++;
  }

  /** The chunks that are not kept yet: `isKept` is asked with their number, their place and their last change. */
  take(isKept: (count: number, place: number, changedAt: number) => boolean): TakenChunks {
    const count = this.#chunks.length;
    const taken: TakenChunk[] = [];
    const changedAt = this.#chunks.map((slice, place) => {
      if (slice.entries.size === 0) return null;
      if (!isKept(count, place, slice.changedAt)) taken.push(this.#takeOne(slice, place));
      return slice.changedAt;
    });
    return { changedAt, chunks: taken };
  }

  #takeOne(slice: Chunk<Value>, place: number): TakenChunk {
    slice.isTaken = true;
    const { entries, changedAt } = slice;
    return {
      place,
      changedAt,
      entries: () => {
        const kept = Array.from(entries, ([key, value]) => [key, this.#keep(value, key)] as const);
        return this.#isOrdered ? kept : kept.sort(compareKeys);
      },
    };
  }

  #placeOf(key: string): number {
    return hashOf(key) & (this.#chunks.length - 1);
  }

  #toChange(place: number): Chunk<Value> {
    let slice = this.#chunks[place] ?? emptyChunk<Value>();
    if (slice.isTaken) slice = { ...slice, entries: new Map(slice.entries), isTaken: false };
    slice.changedAt = this.#position;
    this.#chunks[place] = slice;
    this.#changes++;
    return slice;
  }

  /** Each chunk becomes two. They never become fewer: how many there are must follow from the log alone. */
  #double(): void {
    const before = this.#chunks;
    this.#chunks = [...before, ...before].map(({ changedAt }) => emptyChunk<Value>(changedAt));
    for (const { entries } of before)
      for (const [key, value] of entries) this.#chunks[this.#placeOf(key)]?.entries.set(key, value);
  }
}

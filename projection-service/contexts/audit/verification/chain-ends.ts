import { chainStart, HASH_LENGTH, type ChainEnd } from '#log/hash-chain.ts';

/** Streams in a block. Blocks are added as streams come, so that only the table of slots is ever copied. */
const BLOCK = 65_536;
/** An id as numbers of 32 bits. */
const WORDS = 4;
const HYPHEN = 45;
/** Where the groups of a GUID end. */
const hyphens = new Set([8, 13, 18, 23]);
const GUID_LENGTH = 36;

interface Block {
  readonly ids: Uint32Array;
  readonly categories: Uint16Array;
  readonly revisions: Int32Array;
  readonly hashes: Buffer;
}

const newBlock = (): Block => ({
  ids: new Uint32Array(BLOCK * WORDS),
  categories: new Uint16Array(BLOCK),
  revisions: new Int32Array(BLOCK).fill(chainStart.revision),
  hashes: Buffer.alloc(BLOCK * HASH_LENGTH),
});

/** The value of a hexadecimal digit in lower case; -1 for any other character. */
const digit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
};

/** Where the chain of each stream ends, for millions of streams: some 80 bytes each. */
export class ChainEnds {
  readonly #blocks: Block[] = [];
  readonly #categories = new Map<string, number>();
  /** Slots of streams whose names end in no GUID. */
  readonly #others = new Map<string, number>();
  /** Open addressing by id and category: 1 + the slot, 0 where there is none. */
  #table = new Uint32Array(BLOCK);
  #slots = 0;
  /** The id that is looked for. */
  readonly #id = new Uint32Array(WORDS);

  /** Streams so far. */
  get size(): number {
    return this.#slots;
  }

  /** Where the end of a stream is kept; of a new one, it is `chainStart`. */
  slotOf(stream: string): number {
    if (this.#slots * 2 >= this.#table.length) this.#grow();
    if (!this.#readId(stream)) return this.#slotOfOther(stream);
    const category = this.#categoryOf(stream.slice(0, -GUID_LENGTH - 1));
    const index = this.#find(category);
    const known = this.#table[index] ?? 0;
    if (known > 0) return known - 1;
    const slot = this.#newSlot();
    const { block, at } = this.#place(slot);
    block.ids.set(this.#id, at * WORDS);
    block.categories[at] = category;
    this.#table[index] = slot + 1;
    return slot;
  }

  endAt(slot: number): ChainEnd {
    const { block, at } = this.#place(slot);
    const revision = block.revisions[at] ?? chainStart.revision;
    const start = at * HASH_LENGTH;
    if (block.hashes[start] === 0) return { revision, hash: '' };
    return { revision, hash: block.hashes.toString('latin1', start, start + HASH_LENGTH) };
  }

  /** A hash of any other length is kept as ''. */
  put(slot: number, { revision, hash }: ChainEnd): void {
    const { block, at } = this.#place(slot);
    const start = at * HASH_LENGTH;
    block.revisions[at] = revision;
    if (hash.length === HASH_LENGTH) block.hashes.write(hash, start, HASH_LENGTH, 'latin1');
    else block.hashes[start] = 0;
  }

  /** Reads the GUID at the end of a name into `#id`; false if there is none. */
  #readId(stream: string): boolean {
    const start = stream.length - GUID_LENGTH;
    if (start < 1 || stream.charCodeAt(start - 1) !== HYPHEN) return false;
    this.#id.fill(0);
    let digits = 0;
    for (let index = 0; index < GUID_LENGTH; index++) {
      const code = stream.charCodeAt(start + index);
      if (hyphens.has(index)) {
        if (code !== HYPHEN) return false;
        continue;
      }
      const value = digit(code);
      if (value < 0) return false;
      const word = digits++ >> 3;
      this.#id[word] = ((this.#id[word] ?? 0) << 4) | value;
    }
    return true;
  }

  #slotOfOther(stream: string): number {
    const known = this.#others.get(stream);
    if (known !== undefined) return known;
    const slot = this.#newSlot();
    this.#others.set(stream, slot);
    return slot;
  }

  #categoryOf(name: string): number {
    const known = this.#categories.get(name);
    if (known !== undefined) return known;
    this.#categories.set(name, this.#categories.size);
    return this.#categories.size - 1;
  }

  #newSlot(): number {
    if (this.#slots % BLOCK === 0) this.#blocks.push(newBlock());
    return this.#slots++;
  }

  #place(slot: number): { readonly block: Block; readonly at: number } {
    const block = this.#blocks[Math.floor(slot / BLOCK)];
    if (!block) throw new RangeError(`there is no slot ${slot}`);
    return { block, at: slot % BLOCK };
  }

  /** Where `#id` stands in the table, or belongs. */
  #find(category: number): number {
    const [first = 0, second = 0, third = 0, fourth = 0] = this.#id;
    let index = this.#startOf(first, second, third, fourth, category);
    for (;;) {
      const slot = (this.#table[index] ?? 0) - 1;
      if (slot < 0) return index;
      const { block, at } = this.#place(slot);
      const { ids } = block;
      const start = at * WORDS;
      const isIt =
        ids[start] === first &&
        ids[start + 1] === second &&
        ids[start + 2] === third &&
        ids[start + 3] === fourth &&
        block.categories[at] === category;
      if (isIt) return index;
      index = (index + 1) % this.#table.length;
    }
  }

  #startOf(first: number, second: number, third: number, fourth: number, category: number): number {
    const mixed = Math.imul(first ^ category, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
    const spread = Math.imul(mixed ^ third ^ (mixed >>> 15), 0xc2b2ae35) ^ Math.imul(fourth, 0x27d4eb2f);
    return (spread ^ (spread >>> 13)) & (this.#table.length - 1);
  }

  #grow(): void {
    const before = this.#table;
    this.#table = new Uint32Array(before.length * 2);
    for (const entry of before) {
      if (entry === 0) continue;
      const { block, at } = this.#place(entry - 1);
      this.#id.set(block.ids.subarray(at * WORDS, at * WORDS + WORDS));
      this.#table[this.#find(block.categories[at] ?? 0)] = entry;
    }
  }
}

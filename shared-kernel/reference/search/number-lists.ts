const FIRST_ROOM = 1024;
const GROWTH = 1.5;

const grown = <Numbers extends Uint32Array | Uint8Array>(numbers: Numbers, needed: number): Numbers => {
  if (needed <= numbers.length) return numbers;
  const length = Math.ceil(Math.max(needed, numbers.length * GROWTH));
  const larger = new (numbers.constructor as new (length: number) => Numbers)(length);
  larger.set(numbers);
  return larger;
};

/** The exponent of the smallest block that holds so many numbers. */
const blockFor = (count: number): number => (count <= 1 ? 0 : 32 - Math.clz32(count - 1));

/** Blocks of memory; what is given back is taken again by the next that needs a block of this size. */
const createBlocks = () => {
  let memory = new Uint32Array(FIRST_ROOM);
  let used = 0;
  const free: number[][] = [];
  return {
    memory: (): Uint32Array => memory,
    allocate: (block: number): number => {
      const left = free[block]?.pop();
      if (left !== undefined) return left;
      const start = used;
      used += 2 ** block;
      memory = grown(memory, used);
      return start;
    },
    release: (block: number, start: number): void => void (free[block] ??= []).push(start),
  };
};

/**
 * Lists of numbers, known by numbers of their own, in one block of memory: as objects of the heap, a hundred thousand
 * short lists would weigh many times what they say.
 */
export const createNumberLists = () => {
  const { memory, allocate, release } = createBlocks();
  let starts = new Uint32Array(FIRST_ROOM);
  let lengths = new Uint32Array(FIRST_ROOM);
  let blocks = new Uint8Array(FIRST_ROOM);
  const lengthOf = (list: number): number => lengths[list] ?? 0;
  const startOf = (list: number): number => starts[list] ?? 0;
  const blockOf = (list: number): number => blocks[list] ?? 0;

  const clear = (list: number): void => {
    if (lengthOf(list) > 0) release(blockOf(list), startOf(list));
    lengths[list] = 0;
  };
  /** A list of so many numbers, what it holds undefined. */
  const begin = (list: number, count: number): void => {
    clear(list);
    if (count === 0) return;
    starts = grown(starts, list + 1);
    lengths = grown(lengths, list + 1);
    blocks = grown(blocks, list + 1);
    blocks[list] = blockFor(count);
    starts[list] = allocate(blockOf(list));
    lengths[list] = count;
  };
  const moveToLarger = (list: number): void => {
    const [block, from, count] = [blockOf(list), startOf(list), lengthOf(list)];
    const start = allocate(block + 1);
    memory().copyWithin(start, from, from + count);
    release(block, from);
    starts[list] = start;
    blocks[list] = block + 1;
  };

  return {
    lengthOf,
    startOf,
    /** Where the lists are, until the next change. */
    memory,
    /** The same with where each of them is, for loops that must not call anything. */
    layout: () => ({ memory: memory(), starts, lengths }),
    push: (list: number, value: number): void => {
      const count = lengthOf(list);
      if (count === 0) begin(list, 1);
      else if (count === 2 ** blockOf(list)) moveToLarger(list);
      memory()[startOf(list) + count] = value;
      lengths[list] = count + 1;
    },
    /** Takes one out; the last comes to its place. */
    remove: (list: number, value: number): void => {
      const [start, count] = [startOf(list), lengthOf(list)];
      const held = memory().subarray(start, start + count);
      const place = held.indexOf(value);
      if (place < 0) return;
      if (count === 1) return clear(list);
      held[place] = held[count - 1] ?? 0;
      lengths[list] = count - 1;
    },
    replace: (list: number, values: readonly number[]): void => {
      begin(list, values.length);
      memory().set(values, startOf(list));
    },
    clear,
  };
};

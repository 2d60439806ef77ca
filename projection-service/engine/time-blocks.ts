import type { BlockPlace, TimeBlock } from '#log/kept-time-blocks.ts';
import type { LogSpan } from '#log/log-span.ts';
import { START } from '#ports/event-store.ts';

/** At most this many events in a block: as many as a look-up reads. */
const MAX_EVENTS = 1000;

/** The first index from which on a condition holds; `length` where it never does. */
const firstIndex = (length: number, holds: (index: number) => boolean): number => {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/**
 * When the log was recorded, block by block: three numbers for 1,000 events. Where several clocks write, a block may
 * hold events that are older than some of the block before; bounds that only grow along the log make it searchable
 * all the same.
 */
export class TimeBlocks {
  readonly #ends: number[] = [];
  /** By block, the earliest event of it and all that follow. */
  readonly #earliestFrom: number[] = [];
  /** By block, the latest event of it and all before. */
  readonly #latestUpTo: number[] = [];
  /** The last block while it still grows. */
  #open: TimeBlock | null = null;

  get length(): number {
    return this.#ends.length;
  }

  /** Position of the last event that is known here. */
  get covered(): number {
    return this.#ends.at(-1) ?? START;
  }

  /** Takes a span, unless it is known; the block that it does not fit into any more is closed and returned. */
  add(span: LogSpan): TimeBlock | null {
    if (span.upTo.position <= this.covered) return null;
    const open = this.#open;
    if (open && open.size + span.size <= MAX_EVENTS) {
      this.#open = {
        after: open.after,
        upTo: span.upTo,
        size: open.size + span.size,
        earliest: Math.min(open.earliest, span.earliest),
        latest: Math.max(open.latest, span.latest),
      };
      this.#set(this.length - 1, this.#open);
      return null;
    }
    this.#open = { ...span, after: this.covered };
    this.#set(this.length, this.#open);
    return open;
  }

  /** Takes a block that was closed before. False where it does not join on to those that are here. */
  restore(block: TimeBlock): boolean {
    if (block.after > this.covered || block.upTo.position <= this.covered) return false;
    this.#set(this.length, block);
    return true;
  }

  /** Closes the last block although it might still grow; null where there is none that does. */
  close(): TimeBlock | null {
    const open = this.#open;
    this.#open = null;
    return open;
  }

  clear(): void {
    for (const bounds of [this.#ends, this.#earliestFrom, this.#latestUpTo]) bounds.length = 0;
    this.#open = null;
  }

  /** Index of the last block that may hold an event recorded at or before the instant; -1 for none. */
  lastBegunBy(instant: number): number {
    return firstIndex(this.length, (index) => (this.#earliestFrom[index] ?? Infinity) > instant) - 1;
  }

  /** Index of the first block that may hold an event recorded at or after the instant; `length` for none. */
  firstEndedFrom(instant: number): number {
    return firstIndex(this.length, (index) => (this.#latestUpTo[index] ?? -Infinity) >= instant);
  }

  place(index: number): BlockPlace {
    return { after: this.#ends[index - 1] ?? START, upTo: this.#ends[index] ?? this.covered };
  }

  #set(index: number, { upTo, earliest, latest }: LogSpan): void {
    this.#ends[index] = upTo.position;
    this.#earliestFrom[index] = earliest;
    this.#latestUpTo[index] = Math.max(latest, this.#latestUpTo[index - 1] ?? -Infinity);
    for (let before = index - 1; (this.#earliestFrom[before] ?? -Infinity) > earliest; before--)
      this.#earliestFrom[before] = earliest;
  }
}

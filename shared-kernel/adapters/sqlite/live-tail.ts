import type { StoredEvent } from '#ports/event-store.ts';

/** Enough for those who keep up; who falls further behind reads from the file. More would only grow old in memory. */
const mostEvents = 200;
const mostCharacters = 4 * 1024 * 1024;

/**
 * The latest events that this process appended, without a gap, so that those who follow the log live never ask the
 * file. All followers get the same objects.
 */
export class LiveTail {
  #events: StoredEvent[] = [];
  #characters = 0;
  #head: number;

  constructor(head: number) {
    this.#head = head;
  }

  /** Position of the last event of the log. */
  get head(): number {
    return this.#head;
  }

  push(event: StoredEvent): void {
    this.#events.push(event);
    this.#head = event.position;
    this.#characters += size(event);
    if (this.#events.length > mostEvents || this.#characters > mostCharacters) this.#dropOlderHalf();
  }

  /** Events were appended that this process does not hold: begin again after them. */
  restartAt(head: number): void {
    this.#events = [];
    this.#characters = 0;
    this.#head = head;
  }

  /** What follows `position`, or null when that is before the tail. */
  after(position: number, limit: number): readonly StoredEvent[] | null {
    const before = this.#head - this.#events.length;
    if (position < before) return null;
    return this.#events.slice(position - before, position - before + limit);
  }

  #dropOlderHalf(): void {
    for (const event of this.#events.splice(0, Math.ceil(this.#events.length / 2)))
      this.#characters -= size(event);
  }
}

const size = (event: StoredEvent): number => event.data.length + event.metadata.length;

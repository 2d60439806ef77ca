import type { BusMessage } from '#ports/bus.ts';
import type { Write } from '#ports/document-store.ts';

/** What an event leads to: documents for the state store, and messages that wake the workers. */
export interface Outgoing {
  readonly writes: readonly Write[];
  readonly messages: readonly BusMessage[];
}

/** One write to the state store holds no more than that. */
const MAX_ROWS = 500;
const MAX_CHARACTERS = 4_000_000;

/** What goes out together. */
export class OutgoingBatch {
  readonly writes: Write[] = [];
  readonly messages: BusMessage[] = [];
  #characters = 0;

  get isFull(): boolean {
    return this.writes.length >= MAX_ROWS || this.#characters >= MAX_CHARACTERS;
  }

  add(outgoing: readonly Outgoing[]): void {
    for (const { writes, messages } of outgoing) {
      this.writes.push(...writes);
      this.messages.push(...messages);
      for (const write of writes) this.#characters += charactersOf(write);
    }
  }
}

/** Roughly: what is long in a row is the text of its body. */
const charactersOf = (write: Write): number => {
  let sum = 0;
  for (const value of 'put' in write ? Object.values(write.put) : []) {
    sum += typeof value === 'string' ? value.length : 16;
  }
  return sum;
};

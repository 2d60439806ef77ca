import { borneHash, hashOfIntact } from '#log/hash-chain.ts';
import { START, type StoredEvent } from '#ports/event-store.ts';
import { ChainEnds } from './chain-ends.ts';
import { noPlace, placeOf, type CreateLogCheck } from './log-check.ts';

/** Positions without an event, in a log that numbers its events one by one: in others, gaps say nothing. */
class EmptyPositions {
  #events = 0;
  #last = START;
  count = 0;
  first: number | null = null;

  take({ position }: StoredEvent): void {
    const isNumberedOneByOne = this.#events > 1 && this.#events + this.count === this.#last;
    if (isNumberedOneByOne && position > this.#last + 1) {
      this.first ??= this.#last + 1;
      this.count += position - this.#last - 1;
    }
    this.#events++;
    this.#last = position;
  }
}

/** Every event is as it was written, and where it was written in its stream (docs/rules/proof.md#chains). */
export const chainCheck: CreateLogCheck = (report) => {
  const ends = new ChainEnds();
  const empty = new EmptyPositions();
  /** Events that later ones of their streams show to be missing. */
  let missed = 0;
  return {
    name: 'chain',
    takeStored: (event) => {
      empty.take(event);
      const slot = ends.slotOf(event.stream);
      const { revision, hash } = ends.endAt(slot);
      const ownHash = event.revision === revision + 1 ? hashOfIntact(hash, event) : borneHash(event);
      if (event.revision !== revision + 1)
        report({
          ...placeOf(event),
          found: `revision ${event.revision} of the stream`,
          expected: `revision ${revision + 1}: every event of the stream, in order`,
        });
      else if (ownHash === null)
        report({
          ...placeOf(event),
          found: `${event.type} ${event.id}, altered, or not after the event before it`,
          expected: `what was appended under the hash ${borneHash(event)}, after ${hash || 'nothing'}`,
        });
      missed += event.revision - (revision + 1);
      // Goes on from what is there, so that one damage is told once.
      ends.put(slot, { revision: event.revision, hash: ownHash ?? borneHash(event) });
    },
    finish: () => {
      if (empty.count <= missed) return;
      report({
        ...noPlace,
        position: empty.first,
        found: `${empty.count} positions without an event, the first of them here`,
        expected: 'an event at every position: streams have lost their last events',
      });
    },
  };
};

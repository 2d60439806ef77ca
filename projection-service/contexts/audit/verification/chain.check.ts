import { borneHash, hashOfIntact } from '#log/hash-chain.ts';
import { ChainEnds } from './chain-ends.ts';
import { placeOf, type CreateLogCheck } from './log-check.ts';

/** Every event is as it was written, and where it was written in its stream (docs/rules/proof.md#chains). */
export const chainCheck: CreateLogCheck = (report) => {
  const ends = new ChainEnds();
  return {
    name: 'chain',
    takeStored: (event) => {
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
      // Goes on from what is there, so that one damage is told once.
      ends.put(slot, { revision: event.revision, hash: ownHash ?? borneHash(event) });
    },
  };
};

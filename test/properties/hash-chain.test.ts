import { expect } from 'chai';
import fc from 'fast-check';
import { chainStart, hashOf, linkedForm, sealMetadata, verifyChain } from '#log/hash-chain.ts';
import type { StoredEvent } from '#ports/event-store.ts';

interface Content {
  readonly data: string;
  readonly note: string;
  /** Written by a release that put the previous hash beside the event's own. */
  readonly isOld?: boolean;
}

/** A stream as it would stand in the log. Texts of one byte make it likely that parts could be mistaken for others. */
const chain = (contents: readonly Content[]): StoredEvent[] => {
  let { hash } = chainStart;
  return contents.map(({ data, note, isOld = false }, revision) => {
    const link = {
      id: `id-${revision}`,
      type: 'Happened',
      stream: 'stock-1',
      revision,
      data: JSON.stringify(data),
    };
    const text = `{"schemaVersion":1,"note":${JSON.stringify(note)}`;
    const previousHash = hash;
    hash = (isOld ? linkedForm.hashOf : hashOf)(previousHash, link, text);
    const metadata = isOld ? linkedForm.seal(text, previousHash, hash) : sealMetadata(text, hash);
    return { ...link, position: revision + 1, metadata };
  });
};

/** In a log that lived through an upgrade, or through several back and forth, either form stands beside the other. */
const streams = fc
  .array(fc.record({ data: fc.string(), note: fc.string({ unit: 'binary' }), isOld: fc.boolean() }), {
    minLength: 2,
    maxLength: 8,
  })
  .map(chain);

const hashIn = (metadata = '{"hash":""}'): string => (JSON.parse(metadata) as { hash: string }).hash;

const at = (from: number, length: number): number => from % length;

describe('the hash chain of a stream', () => {
  it('holds for every stream as it was written', () => {
    fc.assert(fc.property(streams, (events) => verifyChain(events).isIntact));
  });

  it('can be followed a page at a time', () => {
    fc.assert(
      fc.property(streams, fc.nat(), (events, cut) => {
        const page = verifyChain(events.slice(0, at(cut, events.length)));
        expect(
          page.isIntact && verifyChain(events.slice(at(cut, events.length)), page.end).isIntact,
        ).to.equal(true);
      }),
    );
  });

  it('breaks when a character of any text changes', () => {
    const field = fc.constantFrom('id', 'type', 'stream', 'data', 'metadata');
    const character = fc.string({ minLength: 1, maxLength: 1 });
    fc.assert(
      fc.property(streams, fc.nat(), field, fc.nat(), character, (events, which, name, place, other) => {
        const index = at(which, events.length);
        const text = events[index]?.[name] ?? '';
        const cut = at(place, text.length);
        fc.pre(text[cut] !== other);
        const changed = text.slice(0, cut) + other + text.slice(cut + 1);
        const altered = events.map((event) =>
          event.revision === index ? { ...event, [name]: changed } : event,
        );
        return !verifyChain(altered).isIntact;
      }),
    );
  });

  it('breaks when a character moves from one text to the next', () => {
    fc.assert(
      fc.property(streams, fc.nat(), (events, which) => {
        const index = at(which, events.length);
        const moved = events.map((event, revision) =>
          revision === index
            ? { ...event, type: event.type + event.data.slice(0, 1), data: event.data.slice(1) }
            : event,
        );
        expect(verifyChain(moved).isIntact).to.equal(false);
      }),
    );
  });

  it('breaks when an event is taken out, swapped with its neighbour, or put in twice', () => {
    fc.assert(
      fc.property(streams, fc.nat(), (events, which) => {
        const index = at(which, events.length - 1);
        const [one, next] = [events[index], events[index + 1]];
        if (!one || !next) return;
        expect(verifyChain(events.toSpliced(index, 1)).isIntact).to.equal(false);
        expect(verifyChain(events.toSpliced(index, 2, next, one)).isIntact).to.equal(false);
        expect(verifyChain(events.toSpliced(index, 0, one)).isIntact).to.equal(false);
        // Renumbering what is left does not get away with it either.
        const renumbered = events.toSpliced(index, 1).map((event, revision) => ({ ...event, revision }));
        expect(verifyChain(renumbered).isIntact).to.equal(false);
      }),
    );
  });

  it('takes no event for one of the other form', () => {
    const other = fc.tuple(streams, fc.nat()).map(([events, which]) => {
      const index = at(which, events.length);
      const previousHash = hashIn(events[index - 1]?.metadata);
      const link = `,"previousHash":"${previousHash}"`;
      return events.map((event) => {
        if (event.revision !== index) return event;
        const { metadata } = event;
        const isOld = metadata.includes(link);
        const turned = isOld ? metadata.replace(link, '') : metadata.replace(',"hash":', `${link},"hash":`);
        return { ...event, metadata: turned };
      });
    });
    fc.assert(fc.property(other, (events) => !verifyChain(events).isIntact));
  });

  it('names the first event that is not as it was written', () => {
    const events = chain([1, 2, 3].map((number) => ({ data: `${number}`, note: '' })));
    const altered = events.map((event) => (event.revision === 1 ? { ...event, data: '"9"' } : event));
    expect(verifyChain(altered)).to.deep.equal({ isIntact: false, revision: 1, reason: 'altered' });
    expect(verifyChain(events.slice(1))).to.deep.equal({
      isIntact: false,
      revision: 0,
      reason: 'out of order',
    });
  });
});

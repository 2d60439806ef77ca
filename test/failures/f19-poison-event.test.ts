import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import {
  counted,
  counters,
  discarded,
  discards,
  grandTotal,
  moved,
  type Counter,
} from '#test/support/counting-shop.ts';
import { appendPlain, plainDecoder } from '#test/support/plain-log.ts';
import { openProjections, type ProjectionRuntime } from '#test/support/open-projections.ts';

/** The grand total, broken until somebody repairs it: it cannot take a 13. */
const brokenTotal = () => {
  const repair = { isDone: false };
  const on = {
    Counted: (
      total: Counter | null,
      event: Parameters<NonNullable<typeof grandTotal.on.Counted>>[1],
      key: string,
    ) => {
      if (event.data.by === 13 && !repair.isDone) throw new Error('thirteen');
      return grandTotal.on.Counted?.(total, event, key) ?? null;
    },
  };
  return { repair, projection: { ...grandTotal, on } };
};

/** The first view, once it stands still. */
const standingStill = async ({ engine }: ProjectionRuntime) => {
  for (;;) {
    const [first] = engine.status();
    if (first?.stopped) return first;
    await nextTurn();
  }
};

describe('F19 poison event', () => {
  it('stops the one projection that cannot take it, at its position, while the others go on', async () => {
    const log = createMemoryEventStore();
    const { repair, projection } = brokenTotal();
    const shop = await openProjections({ log, projections: [projection, counters] });
    const position = await appendPlain(log, 'counter-1', [counted(1), counted(2), counted(13)]);
    const end = await appendPlain(log, 'counter-1', [counted(4)]);

    expect((await shop.engine.waitFor('counters', end)).isReached).to.equal(true);
    expect((await shop.reader.get<Counter>('counters', 'counter-1'))?.total).to.equal(20);
    await shop.engine.waitFor('grandTotal', position - 1);
    const stopped = await standingStill(shop);
    const [, other] = shop.engine.status();
    expect(stopped).to.deep.include({ checkpoint: position - 1, stopped: { position, message: 'thirteen' } });
    expect(other).to.include({ checkpoint: end, stopped: null });
    expect((await shop.reader.get<Counter>('grandTotal', 'all'))?.total).to.equal(3);
    expect((await shop.engine.waitFor('grandTotal', end)).lagSeconds).to.be.greaterThan(0);

    repair.isDone = true;
    const generation = shop.engine.collectionOf('grandTotal');
    shop.engine.resume('grandTotal');
    expect((await shop.engine.waitFor('grandTotal', end)).isReached).to.equal(true);
    expect((await shop.reader.get<Counter>('grandTotal', 'all'))?.total).to.equal(20);
    expect(shop.engine.collectionOf('grandTotal')).to.equal(generation);
    await shop.stop();
  });

  it('lets the repaired projection go on after a restart, without a rebuild', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    const { projection } = brokenTotal();
    const end = await appendPlain(log, 'counter-1', [counted(1), counted(13), counted(4)]);
    const before = await openProjections({ log, projections: [projection], readStore });
    await before.engine.waitFor('grandTotal', 1);
    const collection = before.engine.collectionOf('grandTotal');
    await before.stop();

    const after = await openProjections({ log, projections: [grandTotal], readStore });
    expect((await after.engine.waitFor('grandTotal', end)).isReached).to.equal(true);
    expect((await after.reader.get<Counter>('grandTotal', 'all'))?.total).to.equal(18);
    expect(after.engine.collectionOf('grandTotal')).to.equal(collection);
    await after.stop();
  });

  it('leaves every document of a poisoned event as it was', async () => {
    const log = createMemoryEventStore();
    const poisoned = {
      ...counters,
      on: {
        ...counters.on,
        Moved: (...[counter, event, key]: Parameters<NonNullable<typeof counters.on.Moved>>) => {
          if (key === 'counter-2') throw new Error('cannot be moved there');
          return counters.on.Moved?.(counter, event, key) ?? null;
        },
      },
    };
    const shop = await openProjections({ log, projections: [poisoned] });
    const position = await appendPlain(log, 'counter-1', [counted(5), moved('counter-2', 3)]);
    await shop.engine.waitFor('counters', position - 1);
    expect((await shop.reader.get<Counter>('counters', 'counter-1'))?.total).to.equal(5);
    expect(await shop.reader.get('counters', 'counter-2')).to.equal(null);
    await shop.stop();
  });

  it('stops only those who want it at an event that cannot be decoded', async () => {
    const log = createMemoryEventStore();
    const plain = plainDecoder();
    const codec: EventDecoder = {
      decodeAll: async (batch) => {
        if (batch.some(({ type }) => type === 'Discarded')) throw new Error('altered in the log');
        return plain.decodeAll(batch);
      },
    };
    const shop = await openProjections({ log, projections: [discards, grandTotal], codec });
    const position = await appendPlain(log, 'counter-1', [counted(1), discarded(), counted(2)]);
    expect((await shop.engine.waitFor('grandTotal', position)).isReached).to.equal(true);
    expect((await standingStill(shop)).stopped).to.deep.equal({
      position: position - 1,
      message: 'Discarded: altered in the log',
    });
    await shop.stop();
  });
});

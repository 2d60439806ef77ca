import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { Recorded } from '#kernel/event.ts';
import type { EventStore } from '#ports/event-store.ts';
import { createFeed } from '#log/feed.ts';
import {
  counted,
  counters,
  discarded,
  discards,
  foldCounters,
  grandTotal,
  moved,
  type Counter,
} from '#test/support/counting-shop.ts';
import { disorderlyLog, type Disorder } from '#test/support/disorderly-log.ts';
import { appendPlain, plainDecoder, shopClock, silentLog, wholeLog } from '#test/support/plain-log.ts';
import { openProjections } from '#test/support/open-projections.ts';

/** Everything in turn, over and over. */
const everyDisorder = (): Disorder => {
  const kinds = [
    'twice',
    'cut in the middle',
    'again from before',
    'ends',
    'empty first',
    'nothing',
  ] as const;
  let page = 0;
  return { next: () => kinds[page++ % kinds.length] ?? 'nothing' };
};

const writers = 8;
const appendsEach = 25;

/** Eight writers, each on a stream of its own and now and then on another's. */
const writeConcurrently = async (log: EventStore): Promise<number> => {
  const ends = await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      let end = 0;
      for (let round = 0; round < appendsEach; round++) {
        const other = `counter-${(writer + round) % writers}`;
        end = await appendPlain(log, `counter-${writer}`, [counted(round), moved(other, 1), counted(1)]);
        if (round % 9 === 8) end = await appendPlain(log, `counter-${writer}`, [discarded()]);
      }
      return end;
    }),
  );
  return Math.max(...ends);
};

describe('F18 subscription disorder', () => {
  it('gives every follower each event once and in order, whatever the subscription does', async () => {
    const log = createMemoryEventStore();
    const codec = plainDecoder();
    const feed = createFeed({
      store: disorderlyLog(log, everyDisorder()),
      codec,
      clock: shopClock,
      log: silentLog,
    });
    await feed.start();
    const received: number[] = [];
    const following = feed.follow({
      name: 'watcher',
      after: 0,
      eventTypes: new Set(['Counted', 'Moved', 'Discarded']),
      handle: async (events: readonly Recorded[]) =>
        void received.push(...events.map(({ position }) => position)),
    });
    const end = await writeConcurrently(log);
    expect(await following.waitFor(end, 5000)).to.equal(true);
    expect(received).to.deep.equal((await wholeLog(log)).map(({ position }) => position));
    await feed.stop();
  });

  it('keeps documents equal to the fold of the log while eight writers append', async () => {
    const log = createMemoryEventStore();
    const shop = await openProjections({
      log: disorderlyLog(log, everyDisorder()),
      projections: [counters, grandTotal, discards],
    });
    const end = await writeConcurrently(log);
    for (const view of ['counters', 'grandTotal', 'discards']) {
      expect((await shop.engine.waitFor(view, end, 5000)).isReached, view).to.equal(true);
    }
    const expected = foldCounters(await wholeLog(log));
    const found = await shop.reader.find<Counter>('counters');
    expect(found.map(({ _id, total, seen }) => ({ _id, total, seen }))).to.deep.equal(
      [...expected.values()].sort((one, other) => (one._id < other._id ? -1 : 1)),
    );
    await shop.stop();
  });

  it('takes up at the stored checkpoint after a restart, and applies nothing twice', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    const projections = [counters, grandTotal];
    const first = await openProjections({ log: disorderlyLog(log, everyDisorder()), projections, readStore });
    await writeConcurrently(log);
    await first.stop();
    const end = await writeConcurrently(log);
    const second = await openProjections({
      log: disorderlyLog(log, everyDisorder()),
      projections,
      readStore,
    });
    expect((await second.engine.waitFor('grandTotal', end, 5000)).isReached).to.equal(true);
    const total = (await wholeLog(log)).reduce(
      (sum, { type, data }) => sum + (type === 'Counted' ? (data as { by: number }).by : 0),
      0,
    );
    expect((await second.reader.get<Counter>('grandTotal', 'all'))?.total).to.equal(total);
    await second.stop();
  });

  it('moves the checkpoint of a view past events that it ignores, to the last event received and no further', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    const shop = await openProjections({
      log: disorderlyLog(log, { next: () => 'empty first' }),
      projections: [discards],
      readStore,
    });
    await appendPlain(log, 'counter-1', [discarded()]);
    const end = await appendPlain(log, 'counter-1', [counted(1), { type: 'FromANewerRelease', data: {} }]);
    expect((await shop.engine.waitFor('discards', end, 5000)).isReached).to.equal(true);
    expect(shop.engine.status()[0]).to.include({ checkpoint: end, lagPositions: 0, lagSeconds: 0 });
    const collection = shop.reader.collectionOf('discards');
    await shop.stop();
    expect(await readStore.get('checkpoints', collection)).to.include({ position: end });
  });

  it('does not make a query wait for a position beyond the head', async () => {
    const shop = await openProjections({ log: createMemoryEventStore(), projections: [discards] });
    expect(await shop.engine.waitFor('discards', 1_000_000)).to.deep.equal({
      isReached: true,
      lagSeconds: null,
    });
    await shop.stop();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { isoInstant } from '#kernel/clock.ts';
import { createFeed, type Feed } from '#log/feed.ts';
import {
  blocksBackwards,
  positionBefore as keptPositionBefore,
  type BlockPlace,
} from '#log/kept-time-blocks.ts';
import { wantedBy } from '#log/event-filter.ts';
import { searchedPages, type LogSearch, type SearchedLog } from '#log/search-log.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { MAX_PAGE, NO_STREAM, START, type EventStore, type EventToAppend } from '#ports/event-store.ts';
import { followTimes, type TimeIndex } from '#projection/engine/time-index.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import { counted } from '#test/support/counting-shop.ts';
import { plainDecoder, plainEvent, shopClock, silentLog } from '#test/support/plain-log.ts';
import { newStream } from './event-store.contract.ts';

interface Log {
  readonly store: EventStore;
  dispose(): Promise<void>;
}

const engines: Readonly<Record<string, () => Promise<Log>>> = {
  'in memory': async () => {
    const store = createMemoryEventStore();
    return { store, dispose: () => store.close() };
  },
  'in a file': async () => {
    const folder = mkdtempSync(join(tmpdir(), 'time-index-'));
    const store = await openSqliteEventStore({ file: join(folder, 'events.db'), mode: 'inline' });
    return {
      store,
      dispose: async () => {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
  "on EventStoreDB's double": async () => {
    const double = await new EventStoreDouble().start();
    const store = await openEventStoreDb({ address: double.address });
    return {
      store,
      dispose: async () => {
        await store.close();
        double.close();
      },
    };
  },
};

const NOON = Date.parse('2026-03-01T12:00:00.000Z');

const recordedAt = (instant: number): EventToAppend =>
  plainEvent({ ...counted(1), recordedAt: isoInstant(instant) });

/** An event of the log as a test expects it. */
interface Known {
  readonly position: number;
  readonly instant: number;
}

/** Appends an event for each instant, in this order, and says where each came to stand. */
const record = async (store: EventStore, instants: readonly number[]): Promise<readonly Known[]> => {
  const before = await store.head();
  for (let from = 0; from < instants.length; from += 500)
    await store.append(newStream(), NO_STREAM, instants.slice(from, from + 500).map(recordedAt));
  const known: Known[] = [];
  for (let after = before; known.length < instants.length;) {
    const page = await store.readAll(after, MAX_PAGE);
    for (const { position } of page) known.push({ position, instant: instants[known.length] ?? NaN });
    after = page.at(-1)?.position ?? Infinity;
  }
  return known;
};

const positionBy = (log: readonly Known[], asked: number): number =>
  log.findLast(({ instant }) => instant <= asked)?.position ?? START;

const positionBefore = (log: readonly Known[], asked: number): number => {
  const first = log.findIndex(({ instant }) => instant >= asked);
  return log[(first < 0 ? log.length : first) - 1]?.position ?? START;
};

/** Counts the events that are read from the log from here on. */
const countReads = (store: EventStore): { readonly events: () => number } => {
  const readAll = store.readAll.bind(store);
  let events = 0;
  Object.assign(store, {
    readAll: async (...asked: Parameters<typeof readAll>) => {
      const page = await readAll(...asked);
      events += page.length;
      return page;
    },
  });
  return { events: () => events };
};

/** Positions of what a search finds, in its order. */
const foundBy = async (sources: SearchedLog, search: LogSearch): Promise<readonly number[]> => {
  const isWanted = wantedBy(search.filter);
  const found: number[] = [];
  for await (const page of searchedPages(sources, search))
    found.push(...page.filter(isWanted).map(({ position }) => position));
  return found;
};

for (const [engine, open] of Object.entries(engines)) {
  describe(`the index of time over a log ${engine}`, () => {
    let log: Log;
    let feed: Feed;
    let codec: ReturnType<typeof plainDecoder>;
    let readStore: ReturnType<typeof createMemoryDocumentStore>;

    beforeEach(async () => {
      log = await open();
      codec = plainDecoder();
      feed = createFeed({ store: log.store, codec, clock: shopClock, log: silentLog });
      readStore = createMemoryDocumentStore();
    });
    afterEach(async () => {
      await feed.stop();
      await log.dispose();
    });

    const follow = async (): Promise<TimeIndex> => {
      const times = await followTimes({ feed, store: log.store, readStore, log: silentLog });
      await feed.start();
      expect(await times.waitFor(await feed.head(), 5000)).to.equal(true);
      return times;
    };

    it('knows the last event recorded by an instant, in the past and live, and decodes none', async () => {
      const every10Seconds = Array.from({ length: 2345 }, (_, index) => NOON + 10_000 * index);
      const past = await record(log.store, every10Seconds.slice(0, 2000));
      const times = await follow();
      const all = [...past, ...(await record(log.store, every10Seconds.slice(2000)))];
      expect(await times.waitFor(await feed.head(), 5000)).to.equal(true);
      for (const asked of [-1, 0, 9_999_999, 20_004_000, 23_440_000, 9e9]) {
        expect(await times.lastRecordedBy(NOON + asked), `by ${asked}`).to.equal(
          positionBy(all, NOON + asked),
        );
        expect(await times.before(NOON + asked), `before ${asked}`).to.equal(
          positionBefore(all, NOON + asked),
        );
      }
      expect(codec.decoded.size).to.equal(0);
    });

    it('tells those who do not follow it from where on to read, and the way back from the end', async () => {
      const all = await record(
        log.store,
        Array.from({ length: 4321 }, (_, index) => NOON + 10_000 * index),
      );
      await follow();
      for (const asked of [-9e9, 0, 9_990_000, 10_000_000, 33_333_333, 40_000_000, 9e9]) {
        const found = await keptPositionBefore(readStore, NOON + asked);
        const first = positionBefore(all, NOON + asked);
        const read = all.filter(({ position }) => position > found && position <= first);
        expect(found, `before ${asked}`).to.be.at.most(first);
        expect(read.length, `before ${asked}`).to.be.below(1010);
      }
      const places: BlockPlace[] = [];
      for await (const place of blocksBackwards(readStore, await log.store.head())) places.push(place);
      expect(places.map(({ upTo }) => upTo)).to.deep.equal([
        all.at(-1)?.position,
        ...places.slice(0, -1).map(({ after }) => after),
      ]);
      expect(places.at(-1)?.after).to.equal(START);
      expect(places).to.have.length(5);
    });

    it('bounds a search by time, both ways, where writers have different clocks', async () => {
      const slowBy = (index: number): number => (index % 7 === 0 ? 45_000 : 0);
      const instants = Array.from({ length: 2345 }, (_, index) => NOON + 1000 * index - slowBy(index));
      const all = await record(log.store, instants);
      await follow();
      const read = countReads(log.store);
      const sources = { store: log.store, readStore };
      for (const [from, to] of [
        [1_500_000, 1_510_000],
        [-9e9, 20_000],
        [2_310_000, 9e9],
      ] as const) {
        const filter = { from: NOON + from, to: NOON + to };
        const wanted = all.filter(({ instant }) => instant >= filter.from && instant <= filter.to);
        const expected = wanted.map(({ position }) => position);
        const before = read.events();
        const forwards = await foundBy(sources, { filter, direction: 'forwards' });
        const backwards = await foundBy(sources, { filter, direction: 'backwards' });
        expect(forwards, `from ${from}`).to.deep.equal(expected);
        expect(backwards, `from ${from}`).to.deep.equal(expected.toReversed());
        expect(read.events() - before, `from ${from}`).to.be.below(4000);
        const half = expected[Math.floor(expected.length / 2)];
        const later = await foundBy(sources, { filter, direction: 'forwards', position: half });
        const earlier = await foundBy(sources, { filter, direction: 'backwards', position: half });
        expect([...earlier.toReversed(), half, ...later], `at ${half}`).to.deep.equal(expected);
      }
    });

    it('takes the last of those recorded in one millisecond', async () => {
      const past = await record(log.store, [NOON, NOON, NOON, NOON + 1]);
      const times = await follow();
      expect(await times.lastRecordedBy(NOON)).to.equal(past[2]?.position);
      expect(await times.before(NOON)).to.equal(START);
    });

    it('goes up to the last event recorded by an instant where writers have different clocks', async () => {
      const slowBy = (index: number): number => (index % 7 === 0 ? 45 * 60_000 : index % 3) + (index % 2);
      const instants = Array.from({ length: 3000 }, (_, index) => NOON + 1000 * index - slowBy(index));
      const all = await record(log.store, instants);
      const times = await follow();
      for (let asked = NOON - 46 * 60_000; asked < NOON + 3_100_000; asked += 611_111) {
        expect(await times.lastRecordedBy(asked)).to.equal(positionBy(all, asked));
        expect(await times.before(asked)).to.equal(positionBefore(all, asked));
      }
    });

    it('has an entry for every 1,000 events, reads those at most for an answer, and nothing for the same again', async () => {
      await record(
        log.store,
        Array.from({ length: 5500 }, (_, index) => NOON + 1000 * index),
      );
      const times = await follow();
      expect(await readStore.count('timeIndex_v1')).to.equal(5);
      const read = countReads(log.store);
      const found = await times.lastRecordedBy(NOON + 3_210_500);
      const once = read.events();
      expect(once).to.be.within(1, 1000);
      expect(await times.lastRecordedBy(NOON + 3_210_500)).to.equal(found);
      expect(read.events()).to.equal(once);
    });
  });
}

describe('the index of time', () => {
  const every10Seconds = Array.from({ length: 4321 }, (_, index) => NOON + 10_000 * index);

  /** A process that begins; `end` leaves the store as a kill does, for nothing is written then. */
  const begin = async (store: EventStore, readStore: ReturnType<typeof createMemoryDocumentStore>) => {
    const read = countReads(store);
    const feed = createFeed({ store, codec: plainDecoder(), clock: shopClock, log: silentLog });
    const times = await followTimes({ feed, store, readStore, log: silentLog });
    await feed.start();
    expect(await times.waitFor(await feed.head(), 5000)).to.equal(true);
    return { times, read, end: () => feed.stop() };
  };

  it('goes on after a kill from the last entry that was kept', async () => {
    const [store, readStore] = [createMemoryEventStore(), createMemoryDocumentStore()];
    const all = await record(store, every10Seconds);
    await (await begin(store, readStore)).end();
    const again = await begin(store, readStore);
    expect(again.read.events()).to.be.at.most(1000);
    for (const asked of every10Seconds.filter((_, index) => index % 123 === 0))
      expect(await again.times.lastRecordedBy(asked)).to.equal(positionBy(all, asked));
    await again.end();
  });

  it('has nothing to read again after it was stopped', async () => {
    const [store, readStore] = [createMemoryEventStore(), createMemoryDocumentStore()];
    const all = await record(store, every10Seconds);
    const { times, end } = await begin(store, readStore);
    await times.parts.stop?.();
    await end();
    const again = await begin(store, readStore);
    expect(again.read.events()).to.equal(0);
    const asked = every10Seconds.at(-7) ?? NaN;
    expect(await again.times.lastRecordedBy(asked)).to.equal(positionBy(all, asked));
    await again.end();
  });

  it('is made again where it is missing, or has a gap', async () => {
    const [store, readStore] = [createMemoryEventStore(), createMemoryDocumentStore()];
    const all = await record(store, every10Seconds);
    await (await begin(store, readStore)).end();
    const [first] = await readStore.find('timeIndex_v1', { sort: [['_id', 1]], limit: 1 });
    await readStore.write([{ collection: 'timeIndex_v1', remove: first?._id ?? '' }]);
    const again = await begin(store, readStore);
    for (const asked of every10Seconds.filter((_, index) => index % 123 === 0))
      expect(await again.times.lastRecordedBy(asked)).to.equal(positionBy(all, asked));
    await again.end();
  });

  it('is made again where the log was restored to an older copy', async () => {
    const [store, readStore] = [createMemoryEventStore(), createMemoryDocumentStore()];
    await record(store, every10Seconds);
    await (await begin(store, readStore)).end();
    const restored = createMemoryEventStore();
    const all = await record(
      restored,
      every10Seconds.slice(0, 1500).map((instant) => instant + 5000),
    );
    const again = await begin(restored, readStore);
    for (const asked of every10Seconds.filter((_, index) => index % 123 === 0))
      expect(await again.times.lastRecordedBy(asked)).to.equal(positionBy(all, asked));
    await again.end();
  });

  it('keeps each entry once the read store is back', async () => {
    const [store, readStore] = [createMemoryEventStore(), createMemoryDocumentStore()];
    await record(store, every10Seconds);
    const write = readStore.write.bind(readStore);
    let isAway = true;
    Object.assign(readStore, {
      write: async (...batch: Parameters<typeof write>) => {
        if (!isAway) return write(...batch);
        isAway = false;
        throw new EngineUnavailable('away');
      },
    });
    const { end } = await begin(store, readStore);
    expect(await readStore.count('timeIndex_v1')).to.equal(4);
    await end();
  });
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { ProjectionEngine } from '#projection/engine/projection-engine.ts';
import type { RebuildState } from '#projection/engine/rebuilds/rebuild-order.document.ts';
import { rebuildAll } from '#projection/engine/rebuild.ts';
import type { RebuildProgress } from '#projection/engine/rebuilds/fill-views.ts';
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
import { faultyEventStore } from '#test/support/faults.ts';
import { appendPlain, plainDecoder, wholeLog } from '#test/support/plain-log.ts';
import { openProjections } from '#test/support/open-projections.ts';
import { when } from '#test/support/refusal.ts';

const fillLog = async (log: EventStore, streams = 40): Promise<number> => {
  let end = 0;
  for (let stream = 0; stream < streams; stream++) {
    const events = Array.from({ length: 60 }, (_, index) =>
      index % 3 === 0 ? moved(`counter-${(stream * 7 + index) % streams}`, 1) : counted(index),
    );
    end = await appendPlain(log, `counter-${stream}`, stream % 9 === 8 ? [...events, discarded()] : events);
  }
  return end;
};

const plain = ({ _id, total, seen }: Counter): Counter => ({ _id, total, seen });
const expectFold = async (log: EventStore, readStore: DocumentStore, collection: string): Promise<void> => {
  const found = await readStore.find<Counter>(collection);
  const expected = [...foldCounters(await wholeLog(log)).values()];
  expect(found.map(plain)).to.have.deep.members(expected);
};

/** How the rebuild that was asked for ended. */
const rebuilt = async (engine: ProjectionEngine, name: string): Promise<RebuildState> => {
  for (;;) {
    const state = (await engine.rebuilds()).get(name);
    if (state?.isDone) return state;
    await nextTurn();
  }
};

const any = () => true;

describe('a cold replay', () => {
  it('fills several views in one pass, equal to the fold of the log, and tells how far it is', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    const codec = plainDecoder();
    const end = await fillLog(log);
    const progress: RebuildProgress[] = [];
    const onProgress = (now: RebuildProgress): void => void progress.push(now);
    const filled = await rebuildAll([counters, grandTotal], { store: log, codec, readStore, onProgress });
    expect(filled.map(({ collection, checkpoint }) => [collection, checkpoint.position])).to.deep.equal([
      ['counters_v1_1', end],
      ['grandTotal_v1_1', end],
    ]);
    await expectFold(log, readStore, 'counters_v1_1');
    const filling = progress.findLast(({ phase }) => phase === 'filling');
    expect(filling).to.deep.include({ position: end, head: end, events: end });
    expect(new Set(codec.decoded.values())).to.deep.equal(new Set([1]));
  });

  it('yields the same documents and counters as following', async () => {
    const log = createMemoryEventStore();
    const counted = { ...counters, counters: ({ total }: Counter) => ({ total, [`${total % 3} of 3`]: 1 }) };
    const { engine, reader, stop } = await openProjections({ log, projections: [counted] });
    await engine.waitFor('counters', await fillLog(log));
    const seen = async () => [
      await reader.counters('counters'),
      await reader.find('counters', { sort: [['_id', 1]] }),
    ];
    const followed = await seen();
    expect(followed[0]).to.have.property('total').above(0);
    await engine.askRebuild(['counters'], 'ada');
    expect((await rebuilt(engine, 'counters')).failure).to.equal(null);
    expect(await seen()).to.deep.equal(followed);
    await stop();
  });

  it('replaces the previous generation, which is dropped', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    await fillLog(log);
    const options = { store: log, codec: plainDecoder(), readStore };
    await rebuildAll([counters], options);
    await rebuildAll([counters], options);
    await rebuildAll([{ ...counters, version: 2 }], options);
    expect(await readStore.collections()).to.not.include('counters_v1_1');
    expect(await readStore.get('projections', 'counters_v2')).to.include({ generation: 3 });
    await expectFold(log, readStore, 'counters_v2_3');
  });

  it('leaves the old generation unchanged when it is cancelled', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    await fillLog(log);
    const options = { store: log, codec: plainDecoder(), readStore };
    await rebuildAll([counters], options);
    const stop = new AbortController();
    const onProgress = (): void => stop.abort();
    const calledOff = rebuildAll([counters], { ...options, onProgress, signal: stop.signal });
    expect((await when(calledOff).thenFails(Error)).name).to.equal('AbortError');
    expect((await readStore.collections()).filter((name) => name.startsWith('counters'))).to.deep.equal([
      'counters_v1_1',
    ]);
  });

  it('runs beside a running engine: the old generation serves until the new one is complete', async () => {
    const log = faultyEventStore(createMemoryEventStore());
    const readStore = createMemoryDocumentStore();
    const end = await fillLog(log);
    const shop = await openProjections({ log, projections: [counters, grandTotal], readStore });
    await shop.engine.waitFor('counters', end);
    const checkpoints: number[] = [];
    const appending: Promise<unknown>[] = [];
    for (let page = 0; page < 3; page++) {
      log.runBefore('readAll', any, () => {
        appending.push(appendPlain(log, 'counter-1', [counted(1), moved('counter-2', 1)]));
        checkpoints.push(shop.engine.status()[0]?.checkpoint ?? 0);
        expect(shop.reader.collectionOf('counters')).to.equal('counters_v1_1');
      });
    }
    await shop.engine.askRebuild(['counters'], 'ada');
    expect(await rebuilt(shop.engine, 'counters')).to.include({ failure: null });
    expect(checkpoints).to.have.length(3);
    await Promise.all(appending);
    const last = await appendPlain(log, 'counter-3', [counted(1)]);
    expect((await shop.engine.waitFor('counters', last)).isReached).to.equal(true);
    expect(shop.reader.collectionOf('counters')).to.equal('counters_v1_2');
    expect([...checkpoints].sort((one, other) => one - other)).to.deep.equal(checkpoints);
    await shop.stop();
    await expectFold(log, readStore, 'counters_v1_2');
    expect(await readStore.collections()).to.not.include('counters_v1_1');
  });

  it('reads the log once for all that are asked for together, and leaves the others alone', async () => {
    const log = createMemoryEventStore();
    const codec = plainDecoder();
    const projections = [counters, grandTotal, discards];
    const end = await fillLog(log);
    const shop = await openProjections({ log, projections, codec });
    for (const { name } of projections) await shop.engine.waitFor(name, end);
    const before = new Map(codec.decoded);
    await shop.engine.askRebuild(['counters', 'discards', 'counters'], 'ada');
    for (const name of ['counters', 'discards'])
      expect(await rebuilt(shop.engine, name)).to.include({ position: end, head: end, failure: null });
    const again = [...codec.decoded].map(([position, times]) => times - (before.get(position) ?? 0));
    expect(new Set(again)).to.deep.equal(new Set([1]));
    expect((await shop.engine.rebuilds()).has('grandTotal')).to.equal(false);
    expect(shop.engine.status().map(({ generation }) => generation)).to.deep.equal([2, 1, 2]);
    await shop.stop();
  });

  it('that one view cannot take is given up for that view alone', async () => {
    const log = createMemoryEventStore();
    let isPoisoned = false;
    const fragile = {
      ...grandTotal,
      keys: () => {
        if (isPoisoned) throw new Error('no key for it');
        return ['all'];
      },
    };
    const readStore = createMemoryDocumentStore();
    const end = await fillLog(log);
    const shop = await openProjections({ log, projections: [fragile, counters], readStore });
    await shop.engine.waitFor('grandTotal', end);
    await shop.engine.waitFor('counters', end);
    isPoisoned = true;
    await shop.engine.askRebuild(['grandTotal', 'counters'], 'ada');
    expect(await rebuilt(shop.engine, 'grandTotal')).to.include({ failure: 'no key for it' });
    expect(await rebuilt(shop.engine, 'counters')).to.include({ failure: null });
    expect(shop.engine.status().map(({ generation }) => generation)).to.deep.equal([1, 2]);
    expect(await readStore.collections()).to.not.include.members(['grandTotal_v1_2', 'counters_v1_1']);
    await shop.stop();
    await expectFold(log, readStore, 'counters_v1_2');
  });

  it('that meets a poisoned event is given up, and the old generation goes on', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    let isPoisoned = false;
    const fragile = {
      ...grandTotal,
      keys: () => {
        if (isPoisoned) throw new Error('no key for it');
        return ['all'];
      },
    };
    const end = await appendPlain(log, 'counter-1', [counted(1), counted(2)]);
    const shop = await openProjections({ log, projections: [fragile], readStore });
    await shop.engine.waitFor('grandTotal', end);
    isPoisoned = true;
    await shop.engine.askRebuild(['grandTotal'], 'ada');
    expect(await rebuilt(shop.engine, 'grandTotal')).to.include({ failure: 'no key for it' });
    isPoisoned = false;
    const next = await appendPlain(log, 'counter-1', [counted(4)]);
    expect((await shop.engine.waitFor('grandTotal', next)).isReached).to.equal(true);
    expect((await shop.reader.get<Counter>('grandTotal', 'all'))?.total).to.equal(7);
    expect(await readStore.collections()).to.not.include('grandTotal_v1_2');
    await shop.stop();
  });

  it('comes by itself when the log was restored to before the read models; until then none serves', async () => {
    const readStore = createMemoryDocumentStore();
    const lostLog = createMemoryEventStore();
    const lost = await appendPlain(lostLog, 'counter-1', [counted(1), counted(2), counted(4), counted(8)]);
    const before = await openProjections({ log: lostLog, projections: [counters, grandTotal], readStore });
    await before.engine.waitFor('counters', lost);
    await before.engine.waitFor('grandTotal', lost);
    await before.stop();

    const log = createMemoryEventStore();
    await appendPlain(log, 'counter-1', [counted(1), counted(2)]);
    const after = await openProjections({ log, projections: [counters, grandTotal], readStore });
    expect(after.engine.collectionOf('grandTotal')).to.equal(null);
    const end = await appendPlain(log, 'counter-1', [counted(16), counted(32), counted(64)]);
    for (const { name } of [counters, grandTotal]) {
      expect((await after.engine.waitFor(name, end)).isReached).to.equal(true);
      expect((await after.reader.find<Counter>(name)).map(({ total }) => total)).to.deep.equal([115]);
    }
    await after.stop();
    expect(await readStore.collections()).to.not.include.members(['counters_v1_1', 'grandTotal_v1_1']);
  });

  it('comes by itself when the log was restored and grew past the read models, event for event', async () => {
    const readStore = createMemoryDocumentStore();
    const lostLog = createMemoryEventStore();
    const lost = await appendPlain(lostLog, 'counter-1', [counted(1), counted(2), counted(4)]);
    const before = await openProjections({ log: lostLog, projections: [counters, grandTotal], readStore });
    for (const { name } of [counters, grandTotal]) await before.engine.waitFor(name, lost);
    await before.stop();

    const log = createMemoryEventStore();
    const end = await appendPlain(log, 'counter-1', [counted(8), counted(16), counted(32)]);
    expect(end).to.equal(lost);
    const after = await openProjections({ log, projections: [counters, grandTotal], readStore });
    for (const { name } of [counters, grandTotal]) {
      expect((await after.engine.waitFor(name, end)).isReached).to.equal(true);
      expect((await after.reader.find<Counter>(name)).map(({ total }) => total)).to.deep.equal([56]);
    }
    await after.stop();
  });

  it('does not come where an older release kept no ids; from the next start on they are known', async () => {
    const readStore = createMemoryDocumentStore();
    const log = createMemoryEventStore();
    const end = await appendPlain(log, 'counter-1', [counted(1), counted(2)]);
    const open = () => openProjections({ log, projections: [counters], readStore });
    const first = await open();
    await first.engine.waitFor('counters', end);
    await first.stop();
    await readStore.updateIf('checkpoints', { _id: 'counters_v1_1' }, { unset: ['eventId'] });

    const upgraded = await open();
    expect(upgraded.engine.collectionOf('counters')).to.equal('counters_v1_1');
    await upgraded.stop();
    const [last] = (await log.readAll(end - 1)).map(({ id }) => id);
    expect(await readStore.get('checkpoints', 'counters_v1_1')).to.include({ position: end, eventId: last });
  });

  it('is asked of any replica, done by the one that follows, and seen by all', async () => {
    const log = createMemoryEventStore();
    const stores = { readStore: createMemoryDocumentStore(), stateStore: createMemoryDocumentStore() };
    const end = await fillLog(log);
    const replicas = { log, projections: [counters, grandTotal], ...stores, isOnlyWriter: false };
    const first = await openProjections(replicas);
    await first.engine.waitFor('counters', end);
    const second = await openProjections(replicas);
    expect(second.engine.status().map(({ isFollowing }) => isFollowing)).to.deep.equal([false, false]);

    await second.engine.askRebuild(['counters'], 'ada');
    await second.engine.askRebuild(['counters'], 'ada');
    for (const { engine } of [second, first]) {
      expect(await rebuilt(engine, 'counters')).to.include({ head: end, position: end, failure: null });
    }
    expect((await first.engine.rebuilds()).has('grandTotal')).to.equal(false);
    expect(first.engine.collectionOf('counters')).to.equal('counters_v1_2');
    await first.stop();
    await second.stop();
  });

  it('outlives the process that took the order', async () => {
    const log = faultyEventStore(createMemoryEventStore());
    const readStore = createMemoryDocumentStore();
    const end = await fillLog(log);
    const first = await openProjections({ log, projections: [counters], readStore });
    await first.engine.waitFor('counters', end);
    const { promise: isFilling, resolve } = Promise.withResolvers<void>();
    log.runBefore('readAll', any, resolve);
    await first.engine.askRebuild(['counters'], 'ada');
    await isFilling;
    await first.stop();
    expect((await first.engine.rebuilds()).get('counters')).to.include({ isDone: false });

    const second = await openProjections({ log, projections: [counters], readStore });
    expect(await rebuilt(second.engine, 'counters')).to.include({ failure: null });
    expect(second.engine.collectionOf('counters')).to.equal('counters_v1_2');
    await second.stop();
    await expectFold(log, readStore, 'counters_v1_2');
  });
});

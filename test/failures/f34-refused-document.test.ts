import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { projection, type AnyProjection, type Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { rebuildAll } from '#projection/engine/rebuild.ts';
import {
  counted,
  counters,
  foldCounters,
  grandTotal,
  type Counter,
  type CounterEvent,
} from '#test/support/counting-shop.ts';
import { appendPlain, plainDecoder, wholeLog } from '#test/support/plain-log.ts';
import { openProjections, type ProjectionRuntime } from '#test/support/open-projections.ts';

const REFUSAL = 'this document is too deep';

/** A store that takes no grand total which has just seen a 13. */
const fussy = (store: DocumentStore) => {
  const mood = { isFussy: true };
  const write: DocumentStore['write'] = async (batch) => {
    const isRefused = batch.some(
      (one) => 'put' in one && one.collection.startsWith('thirteens') && (one.put as Thirteens).isUnlucky,
    );
    if (isRefused && mood.isFussy) throw new Error(REFUSAL);
    return store.write(batch);
  };
  return {
    mood,
    store: new Proxy(store, { get: (it, name) => (name === 'write' ? write : method(it, name)) }),
  };
};

const method = (store: DocumentStore, name: string | symbol): unknown => {
  const value: unknown = Reflect.get(store, name);
  return typeof value === 'function' ? (value as () => unknown).bind(store) : value;
};

interface Thirteens extends Document {
  readonly total: number;
  readonly isUnlucky: boolean;
}

/** One hot document; what cannot be written is no longer seen in it more has been counted. */
const thirteens = projection<CounterEvent>()<Thirteens>({
  name: 'thirteens',
  version: 1,
  indexes: [{ fields: ['total'] }],
  keys: (event) => [event.stream],
  on: {
    Counted: (before, event, key) => ({
      _id: key,
      total: (before?.total ?? 0) + event.data.by,
      isUnlucky: (before?.isUnlucky ?? false) || event.data.by === 13,
    }),
  },
});

/** As thirteens, and a 13 makes the document nest 1,200 levels deep: more than SQLite reads. */
const deepThirteens = projection<CounterEvent>()<
  Document & { readonly total: number; readonly data: unknown }
>({
  name: 'deepThirteens',
  version: 1,
  indexes: [{ fields: ['total'] }],
  keys: (event) => [event.stream],
  on: {
    Counted: (before, event, key) => ({
      _id: key,
      total: (before?.total ?? 0) + event.data.by,
      data: event.data.by === 13 ? nested(1200) : (before?.data ?? null),
    }),
  },
});

const nested = (levels: number): unknown => {
  let value: unknown = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
};

const stopOf = (shop: ProjectionRuntime, name: string) =>
  shop.engine.status().find((one) => one.name === name)?.stopped;

const stopped = async (shop: ProjectionRuntime, name: string): Promise<void> => {
  while (!stopOf(shop, name)) await new Promise((resolve) => setImmediate(resolve));
};

const fillLog = async (log: ReturnType<typeof createMemoryEventStore>) => {
  await appendPlain(
    log,
    'counter-1',
    Array.from({ length: 1700 }, () => counted(1)),
  );
  const poison = await appendPlain(log, 'counter-2', [counted(13)]);
  await appendPlain(
    log,
    'counter-3',
    Array.from({ length: 900 }, () => counted(1)),
  );
  const end = await appendPlain(log, 'counter-2', [counted(1)]);
  return { poison, end };
};

describe('F34 a document that the store refuses', () => {
  it('stops its view at the event while it follows, and what came before is kept', async () => {
    const log = createMemoryEventStore();
    const { mood, store: readStore } = fussy(createMemoryDocumentStore());
    const shop = await openProjections({ log, projections: [thirteens, counters], readStore });
    const first = await appendPlain(log, 'counter-1', [counted(1)]);
    await shop.engine.waitFor('thirteens', first);
    const { poison, end } = await fillLog(log);
    await stopped(shop, 'thirteens');
    expect(stopOf(shop, 'thirteens')).to.deep.equal({ position: poison, message: REFUSAL });
    expect((await shop.reader.get<Thirteens>('thirteens', 'counter-1'))?.total).to.equal(1701);
    expect(await shop.reader.get('thirteens', 'counter-2')).to.equal(null);
    expect((await shop.engine.waitFor('counters', end)).isReached).to.equal(true);

    mood.isFussy = false;
    shop.engine.resume('thirteens');
    expect((await shop.engine.waitFor('thirteens', end)).isReached).to.equal(true);
    expect((await shop.reader.get<Thirteens>('thirteens', 'counter-2'))?.total).to.equal(14);
    await shop.stop();
  });

  it('stops its view while an empty read store is filled; every other view is filled and goes on', async () => {
    const log = createMemoryEventStore();
    const { poison, end } = await fillLog(log);
    const { store: readStore } = fussy(createMemoryDocumentStore());
    const open = () => openProjections({ log, projections: [thirteens, counters, grandTotal], readStore });
    const shop = await open();
    await stopped(shop, 'thirteens');
    expect(stopOf(shop, 'thirteens')).to.deep.equal({ position: poison, message: REFUSAL });
    expect((await shop.reader.get<Thirteens>('thirteens', 'counter-1'))?.total).to.equal(1700);
    expect(await shop.reader.get('thirteens', 'counter-3')).to.equal(null);
    for (const view of ['counters', 'grandTotal'])
      expect((await shop.engine.waitFor(view, end)).isReached).to.equal(true);
    const plain = ({ _id, total, seen }: Counter): Counter => ({ _id, total, seen });
    expect((await shop.reader.find<Counter>('counters')).map(plain)).to.have.deep.members([
      ...foldCounters(await wholeLog(log)).values(),
    ]);
    expect((await readStore.collections()).filter((name) => name.startsWith('thirteens'))).to.deep.equal([
      'thirteens_v1_1',
    ]);
    await shop.stop();

    const again = await open();
    await stopped(again, 'thirteens');
    expect(stopOf(again, 'thirteens')?.position).to.equal(poison);
    expect(again.engine.collectionOf('thirteens')).to.equal('thirteens_v1_1');
    await again.stop();
  });

  it('gives up the cold replay of its view alone, and says why', async () => {
    const log = createMemoryEventStore();
    const { poison, end } = await fillLog(log);
    const { mood, store: readStore } = fussy(createMemoryDocumentStore());
    const options = { store: log, codec: plainDecoder(), readStore };
    mood.isFussy = false;
    await rebuildAll([thirteens, counters], options);
    mood.isFussy = true;
    const outcome = await rebuildAll([thirteens, counters], options).catch((error: unknown) => error);
    expect(outcome).to.include({ name: 'PoisonedEvent', position: poison, message: REFUSAL });
    const shop = await openProjections({ log, projections: [thirteens, counters], readStore });
    expect(shop.engine.collectionOf('thirteens')).to.equal('thirteens_v1_1');
    expect(shop.engine.collectionOf('counters')).to.equal('counters_v1_2');
    expect((await shop.engine.waitFor('counters', end)).isReached).to.equal(true);
    await shop.stop();
  });

  it('fills the other views while a fill fails over and over', async () => {
    const log = createMemoryEventStore();
    const { end } = await fillLog(log);
    const memory = createMemoryDocumentStore();
    await rebuildAll([counters], { store: log, codec: plainDecoder(), readStore: memory });
    let failures = 3;
    const declare: DocumentStore['declare'] = async (collection, ...declared) => {
      if (collection.startsWith('grandTotal') && failures-- > 0) throw new Error('nobody knows why');
      return memory.declare(collection, ...declared);
    };
    const readStore = new Proxy(memory, {
      get: (it, name) => (name === 'declare' ? declare : method(it, name)),
    });
    const shop = await openProjections({ log, projections: [grandTotal, counters], readStore });
    const next = await appendPlain(log, 'counter-1', [counted(1)]);
    expect((await shop.engine.waitFor('counters', next)).isReached).to.equal(true);
    expect(shop.engine.collectionOf('grandTotal')).to.equal(null);
    while (shop.engine.collectionOf('grandTotal') === null)
      await new Promise((resolve) => setImmediate(resolve));
    expect((await shop.engine.waitFor('grandTotal', end)).isReached).to.equal(true);
    await shop.stop();
  });

  describe('in SQLite, which refuses what nests too deep only for the sake of an index', () => {
    let folder = '';
    let readStore: DocumentStore;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'tillroll-f34-'));
      readStore = await openSqliteDocumentStore({ file: join(folder, 'read.db'), mode: 'inline' });
    });
    afterEach(async () => {
      await readStore.close();
      rmSync(folder, { recursive: true });
    });

    it('stops the view at the event, live and while it is filled', async () => {
      const log = createMemoryEventStore();
      const projections: readonly AnyProjection[] = [deepThirteens, counters];
      const live = await openProjections({ log, projections, readStore });
      await live.engine.waitFor('deepThirteens', 0);
      const { poison, end } = await fillLog(log);
      await stopped(live, 'deepThirteens');
      expect(stopOf(live, 'deepThirteens')?.position).to.equal(poison);
      expect((await live.engine.waitFor('counters', end)).isReached).to.equal(true);
      await live.stop();

      for (const name of await readStore.collections()) await readStore.drop(name);
      const filled = await openProjections({ log, projections, readStore });
      await stopped(filled, 'deepThirteens');
      expect(stopOf(filled, 'deepThirteens')?.position).to.equal(poison);
      expect((await filled.reader.get<Counter>('deepThirteens', 'counter-1'))?.total).to.equal(1700);
      expect((await filled.engine.waitFor('counters', end)).isReached).to.equal(true);
      await filled.stop();
    });
  });
});

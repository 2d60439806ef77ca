import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { newId } from '#kernel/ids.ts';
import { projection, type AnyProjection, type Document } from '#kernel/projection.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { idOf } from '#values/stream-name.ts';
import {
  counted,
  counters,
  discarded,
  foldCounters,
  grandTotal,
  type Counter,
  type CounterEvent,
} from '#test/support/counting-shop.ts';
import { appendPlain, wholeLog } from '#test/support/plain-log.ts';
import { openProjections, type ProjectionRuntime } from '#test/support/open-projections.ts';

const withCounters = { ...counters, counters: () => ({ documents: 1 }) };

/** One document per stream, under the stream's id. */
const ofStreams = {
  ...projection<CounterEvent>()<Counter>({
    ...grandTotal,
    name: 'ids',
    keys: ({ stream }) => [idOf(stream)],
  }),
  streamOf: (id: string): string => `counter-${id}`,
};

/** A store that says what documents of views it was given, and can be full: reads go on. */
const watched = (store: DocumentStore) => {
  const seen = { documents: [] as string[], asked: [] as string[], isFull: false };
  const write = async (batch: readonly Write[]): Promise<void> => {
    if (seen.isFull) throw new EngineUnavailable('database or disk is full');
    await store.write(batch);
    for (const one of batch)
      if (/_v1_/.test(one.collection)) seen.documents.push('put' in one ? one.put._id : one.remove);
  };
  const readStore = new Proxy(store, {
    get: (it, name) => {
      if (name === 'getMany')
        return (collection: string, keys: readonly string[]) => {
          if (/_v1_/.test(collection)) seen.asked.push(...keys);
          return store.getMany(collection, keys);
        };
      const value: unknown = name === 'write' ? write : Reflect.get(it, name);
      return typeof value === 'function' ? (value as () => unknown).bind(it) : value;
    },
  });
  return { seen, readStore };
};

const open = async (
  projections: readonly AnyProjection[],
  { isShared = false }: { readonly isShared?: boolean } = {},
) => {
  const log = createMemoryEventStore();
  const memory = createMemoryDocumentStore({ isShared });
  const { seen, readStore } = watched(memory);
  const shop = await openProjections({ log, projections, readStore, isOnlyWriter: !isShared });
  for (const { name } of projections) await shop.engine.waitFor(name, 0);
  while (projections.some(({ name }) => shop.engine.collectionOf(name) === null))
    await new Promise((resolve) => setImmediate(resolve));
  seen.documents.length = 0;
  const sell = async (stream: string, events: readonly CounterEvent[]): Promise<number> => {
    const position = await appendPlain(log, stream, events);
    for (const { name } of projections) await shop.engine.waitFor(name, position);
    return position;
  };
  return { log, memory, seen, shop, sell };
};

const plain = ({ _id, total, seen }: Counter): Counter => ({ _id, total, seen });

describe('documents that are held for a while', () => {
  it('are read by id before the store has them, and removed ones no more', async () => {
    const { seen, shop, sell } = await open([withCounters]);
    await sell('counter-1', [counted(1)]);
    await sell('counter-1', [counted(2)]);
    await sell('counter-2', [counted(5), discarded()]);
    expect(seen.documents).to.deep.equal([]);
    expect((await shop.reader.get<Counter>('counters', 'counter-1'))?.total).to.equal(3);
    expect(await shop.reader.get('counters', 'counter-2')).to.equal(null);
    const both = await shop.reader.getMany<Counter>('counters', ['counter-1', 'counter-2', 'counter-3']);
    expect(both.map(({ _id }) => _id)).to.deep.equal(['counter-1']);
    const texts = await shop.reader.textsAt('counters', '_id', ['counter-1', 'counter-2', 'counter-3']);
    expect([...texts]).to.deep.equal([['counter-1', 'counter-1']]);
    expect(await shop.reader.counters('counters')).to.deep.equal({ documents: 1 });
    expect(seen.documents, 'nothing of it needed the store').to.deep.equal([]);
    await shop.stop();
  });

  it('are seen by lists, counts and sums as they are read by id; other views stay held', async () => {
    const { log, seen, shop, sell } = await open([withCounters, grandTotal]);
    for (let round = 1; round <= 3; round++) {
      for (let stream = 0; stream < 5; stream++)
        await sell(`counter-${stream}`, [counted(1), counted(round)]);
      const wanted = [...foldCounters(await wholeLog(log)).values()];
      const found = await shop.reader.find<Counter>('counters', { sort: [['total', -1]] });
      expect(found.map(plain)).to.have.deep.members(wanted);
      expect(await shop.reader.count('counters')).to.equal(wanted.length);
      expect(await shop.reader.sum('counters', 'total')).to.equal(
        wanted.reduce((sum, { total }) => sum + total, 0),
      );
      expect(await shop.reader.counters('counters')).to.deep.equal({ documents: wanted.length });
    }
    expect(seen.documents.filter((id) => id === 'all')).to.deep.equal([]);
    expect(seen.documents).to.have.length(3 * 5);
    await shop.stop();
  });

  it('are all in the store after an orderly stop, each written once', async () => {
    const { log, memory, seen, shop, sell } = await open([withCounters, grandTotal]);
    const collection = shop.engine.collectionOf('counters') ?? '';
    let end = 0;
    for (let round = 0; round < 4; round++)
      for (let stream = 0; stream < 5; stream++) end = await sell(`counter-${stream}`, [counted(round)]);
    await shop.stop();
    expect((await memory.find<Counter>(collection)).map(plain)).to.have.deep.members([
      ...foldCounters(await wholeLog(log)).values(),
    ]);
    expect(seen.documents.toSorted()).to.deep.equal([
      'all',
      ...[0, 1, 2, 3, 4].map((stream) => `counter-${stream}`),
    ]);
    for (const { collection: name } of shop.engine.status())
      expect(await memory.get('checkpoints', name ?? '')).to.include({ position: end });
  });

  it('are in the generation that takes over meanwhile, and none is lost or counted twice', async () => {
    const { log, shop, sell } = await open([withCounters]);
    for (let stream = 0; stream < 5; stream++) await sell(`counter-${stream}`, [counted(1)]);
    await shop.engine.askRebuild(['counters'], 'ada');
    for (let step = 0; shop.engine.collectionOf('counters') !== 'counters_v1_2'; step++) {
      await sell(`counter-${step % 7}`, [counted(step)]);
      const fold = foldCounters(await wholeLog(log));
      const [id, wanted] = [...fold][step % fold.size] ?? [];
      expect((await shop.reader.get<Counter>('counters', id ?? ''))?.total).to.equal(wanted?.total);
    }
    await sell('counter-1', [counted(100)]);
    const wanted = [...foldCounters(await wholeLog(log)).values()];
    expect((await shop.reader.find<Counter>('counters')).map(plain)).to.have.deep.members(wanted);
    expect(await shop.reader.counters('counters')).to.deep.equal({ documents: wanted.length });
    await shop.stop();
  });

  for (const isShared of [false, true])
    it(`${isShared ? 'are' : 'are not'} looked for in the store where their stream has just begun`, async () => {
      const { streamOf } = ofStreams;
      const { seen, shop, sell } = await open([ofStreams], { isShared });
      const [first, second] = [newId(), newId()];
      await sell(streamOf(first), [counted(1), counted(2)]);
      await sell(streamOf(second), [counted(5)]);
      expect(seen.asked).to.deep.equal(isShared ? [first, second] : []);
      await sell(streamOf(first), [counted(4)]);
      expect((await shop.reader.get<Counter>('ids', first))?.total).to.equal(7);
      await shop.stop();
    });

  it('are not looked for by a rebuild either, which has nothing of a stream that it has not come to', async () => {
    const { log, seen, shop } = await open([ofStreams]);
    const ids = Array.from({ length: 4100 }, newId);
    for (const id of ids) await appendPlain(log, ofStreams.streamOf(id), [counted(1)]);
    const [first = '', second = ''] = ids;
    await appendPlain(log, ofStreams.streamOf(first), [counted(2)]);
    const end = await appendPlain(log, ofStreams.streamOf(second), [counted(4)]);
    await shop.engine.waitFor('ids', end);
    seen.asked.length = 0;
    await shop.engine.askRebuild(['ids'], 'ada');
    while (!(await shop.engine.rebuilds()).get('ids')?.isDone)
      await new Promise((resolve) => setImmediate(resolve));
    expect(seen.asked).to.have.members([first, second]);
    expect(shop.engine.collectionOf('ids')).to.equal('ids_v1_2');
    const totals = (await shop.reader.getMany<Counter>('ids', ids)).map(({ total }) => total);
    expect(totals.toSorted((one, other) => other - one).slice(0, 3)).to.deep.equal([5, 3, 1]);
    expect(totals).to.have.length(ids.length);
    await shop.stop();
  });

  it('are not held where other processes read the store', async () => {
    const { memory, seen, shop, sell } = await open([withCounters], { isShared: true });
    await sell('counter-1', [counted(1)]);
    await sell('counter-1', [counted(2)]);
    expect(seen.documents).to.deep.equal(['counter-1', 'counter-1']);
    const collection = shop.engine.collectionOf('counters') ?? '';
    expect(await memory.get(collection, 'counter-1')).to.include({ total: 3 });
    await shop.stop();
  });
});

describe('documents that are held while the store is full', () => {
  it('are read by id; lists say how old they are, and show everything once there is room', async () => {
    const { log, seen, shop, sell } = await open([withCounters]);
    await sell('counter-1', [counted(1)]);
    await shop.reader.find('counters');
    seen.isFull = true;
    await sell('counter-1', [counted(1)]);
    const refused = await shop.reader.find('counters').catch((error: unknown) => error);
    expect(refused, 'the one that finds out').to.be.instanceOf(EngineUnavailable);

    const head = await log.head();
    const { isReached, lagSeconds } = await shop.engine.waitFor('counters', head, 20);
    expect(isReached).to.equal(false);
    expect(lagSeconds).to.be.greaterThan(0);
    expect((await shop.reader.get<Counter>('counters', 'counter-1'))?.total).to.equal(2);
    expect((await shop.reader.find<Counter>('counters')).map(({ total }) => total)).to.deep.equal([1]);
    expect(shop.engine.status()[0]?.lagSeconds).to.be.greaterThan(0);

    seen.isFull = false;
    expect(await shop.engine.waitFor('counters', head, 10_000)).to.deep.equal({
      isReached: true,
      lagSeconds: null,
    });
    expect((await shop.reader.find<Counter>('counters')).map(({ total }) => total)).to.deep.equal([2]);
    expect(shop.engine.status()[0]?.lagSeconds).to.equal(0);
    await shop.stop();
  });
});

interface Named extends Document {
  readonly name: string | null;
}

/** Each stream has a name of its own: the sum of its last event's figures, say. */
const names = projection<CounterEvent>()<Named>({
  name: 'names',
  version: 1,
  indexes: [{ fields: ['name'], unique: true }],
  keys: ({ stream }) => [stream],
  on: {
    Counted: (_, { data: { by } }, _id) => ({ _id, name: `${by}` }),
    Discarded: (_, _event, _id) => ({ _id, name: null }),
  },
});

const stopOf = (shop: ProjectionRuntime) =>
  shop.engine.status().find(({ name }) => name === 'names')?.stopped;

describe('a unique value that the store refuses when held documents are written', () => {
  it('stops the view at its event, and everything before that is kept', async () => {
    const { log, shop, sell } = await open([names, counters]);
    await sell('counter-1', [counted(1)]);
    await sell('counter-2', [counted(2)]);
    const taken = await sell('counter-3', [counted(1)]);
    await sell('counter-4', [counted(4)]);
    expect(await shop.reader.get('names', 'counter-4'), 'held').to.include({ name: '4' });
    await shop.reader.find('names');
    while (!stopOf(shop)) await new Promise((resolve) => setImmediate(resolve));
    expect(stopOf(shop)).to.include({ position: taken });
    expect(stopOf(shop)?.message).to.include('names_v1_1 already has a document with this name');
    const kept = await shop.reader.find<Named>('names', { sort: [['_id', 1]] });
    expect(kept.map(({ name }) => name)).to.deep.equal(['1', '2']);
    expect(await shop.reader.get('names', 'counter-4')).to.equal(null);
    expect(shop.engine.status()[0]?.checkpoint).to.equal(taken - 1);
    expect(await shop.reader.count('counters'), 'other views go on').to.equal(4);
    expect((await shop.engine.waitFor('counters', await log.head())).isReached).to.equal(true);
    await shop.stop();
  });

  it('does not stop the view where it was free at its event, though not in the order of writing', async () => {
    const { log, shop, sell } = await open([names]);
    await sell('counter-1', [counted(1)]);
    await sell('counter-2', [counted(2)]);
    await shop.reader.find('names');
    await sell('counter-1', [discarded()]);
    await sell('counter-2', [counted(1)]);
    await sell('counter-1', [counted(2)]);
    await shop.reader.find('names');
    expect((await shop.engine.waitFor('names', await log.head())).isReached).to.equal(true);
    const swapped = await shop.reader.find<Named>('names', { sort: [['_id', 1]] });
    expect(swapped.map(({ name }) => name)).to.deep.equal(['2', '1']);
    expect(stopOf(shop)).to.equal(null);
    await shop.stop();
  });
});

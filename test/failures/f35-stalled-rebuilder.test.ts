import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { rebuildAll } from '#projection/engine/rebuild.ts';
import { counted, counters, foldCounters, type Counter } from '#test/support/counting-shop.ts';
import { appendPlain, plainDecoder, wholeLog } from '#test/support/plain-log.ts';
import { openProjections } from '#test/support/open-projections.ts';

/** What a process can be frozen just before: a change of a collection, or its end. */
type Call = 'change' | 'drop';

const isCall = (
  call: Call,
  collection: string,
  name: string | symbol,
  [first]: readonly unknown[],
): boolean => {
  const isOf = (given: unknown): boolean => typeof given === 'string' && given.startsWith(collection);
  if (call === 'drop') return name === 'drop' && isOf(first);
  if (name === 'write') return (first as readonly Write[]).some((write) => isOf(write.collection));
  return (name === 'updateIf' || name === 'insertIfAbsent') && isOf(first);
};

/** A process's own way to the store, in which it can be frozen just before one call. */
const freezable = (store: DocumentStore) => {
  let armed: { readonly call: Call; readonly collection: string; readonly reached: () => void } | null = null;
  let thaw: () => void = () => undefined;
  let thawed: Promise<void> = Promise.resolve();
  const own = new Proxy(store, {
    get: (it, name) => {
      const value: unknown = Reflect.get(it, name);
      if (typeof value !== 'function') return value;
      return async (...parameters: unknown[]) => {
        if (armed && isCall(armed.call, armed.collection, name, parameters)) {
          const { reached } = armed;
          armed = null;
          reached();
          await thawed;
        }
        return Reflect.apply(value, it, parameters) as unknown;
      };
    },
  });
  return {
    store: own,
    /** Resolves once the process stands still. */
    freezeBefore: (call: Call, collection: string): Promise<void> => {
      const frozen = Promise.withResolvers<void>();
      ({ promise: thawed, resolve: thaw } = Promise.withResolvers<void>());
      armed = { call, collection, reached: frozen.resolve };
      return frozen.promise;
    },
    thaw: () => thaw(),
  };
};

const fillLog = async (log: EventStore): Promise<number> => {
  let end = 0;
  for (let stream = 0; stream < 30; stream++)
    end = await appendPlain(log, `counter-${stream}`, [counted(stream), counted(1)]);
  return end;
};

const plain = ({ _id, total, seen }: Counter): Counter => ({ _id, total, seen });

/** What a process that starts now reads is what the log says. */
const expectFilled = async (log: EventStore, readStore: DocumentStore): Promise<void> => {
  const shop = await openProjections({ log, projections: [counters], readStore, isOnlyWriter: false });
  expect(shop.engine.collectionOf('counters')).to.not.equal(null);
  await shop.engine.waitFor('counters', await log.head());
  const found = await shop.reader.find<Counter>('counters');
  expect(found.map(plain)).to.have.deep.members([...foldCounters(await wholeLog(log)).values()]);
  await shop.stop();
};

interface Served extends Document {
  readonly generation: number;
}

/** A full log, a read store, and processes that rebuild from the one into the other. */
const openRebuilders = async () => {
  const log = createMemoryEventStore();
  const readStore = createMemoryDocumentStore();
  await fillLog(log);
  const rebuild = (store: DocumentStore = readStore) =>
    rebuildAll([counters], { store: log, codec: plainDecoder(), readStore: store });
  return {
    readStore,
    log,
    rebuild,
    /** Rebuilds until just before this call, and stands still there; `goesOn` resolves once it is done after all. */
    stallBefore: async (call: Call, collection: string) => {
      const stalled = freezable(readStore);
      const frozen = stalled.freezeBefore(call, collection);
      const done = rebuild(stalled.store);
      await frozen;
      return {
        goesOn: () => {
          stalled.thaw();
          return done;
        },
      };
    },
    generation: async () => (await readStore.get<Served>('projections', 'counters_v1'))?.generation,
    expectFilled: () => expectFilled(log, readStore),
  };
};

describe('F35 a stalled rebuilder', () => {
  it('that wakes after another has rebuilt leaves what that one filled in its place', async () => {
    const { readStore, rebuild, stallBefore, ...shop } = await openRebuilders();
    await rebuild();
    const late = await stallBefore('change', 'projections');
    const [served] = await rebuild();
    expect((await late.goesOn()).map(({ collection }) => collection)).to.deep.equal([served?.collection]);
    expect(await shop.generation()).to.equal(served?.generation);
    expect((await readStore.collections()).filter((name) => name.startsWith('counters'))).to.deep.equal([
      served?.collection,
    ]);
    await shop.expectFilled();
  });

  it('that wakes after another has filled an empty read store takes nothing back', async () => {
    const { rebuild, stallBefore, ...shop } = await openRebuilders();
    const late = await stallBefore('change', 'projections');
    await rebuild();
    await rebuild();
    await late.goesOn();
    expect(await shop.generation()).to.equal(3);
    await shop.expectFilled();
  });

  it('that wakes before it drops what it has replaced leaves later ones alone', async () => {
    const { rebuild, stallBefore, ...shop } = await openRebuilders();
    await rebuild();
    const late = await stallBefore('drop', 'counters_v1_1');
    const next = await stallBefore('change', 'projections');
    await late.goesOn();
    await next.goesOn();
    expect(await shop.generation()).to.equal(3);
    await shop.expectFilled();
  });

  it('that has counted the generations before another took the next number fills one of its own', async () => {
    const { rebuild, stallBefore, ...shop } = await openRebuilders();
    const late = await stallBefore('change', 'checkpoints');
    const [served] = await rebuild();
    await late.goesOn();
    expect(await shop.generation()).to.equal(served?.generation);
    await shop.expectFilled();
  });

  it('a collection that is gone is filled again, never served', async () => {
    const { log, readStore, rebuild } = await openRebuilders();
    const [served] = await rebuild();
    await readStore.drop(served?.collection ?? '');
    const shop = await openProjections({ log, projections: [counters], readStore });
    while (shop.engine.collectionOf('counters') === null)
      await new Promise((resolve) => setImmediate(resolve));
    const found = await shop.reader.find<Counter>('counters');
    expect(found.map(plain)).to.have.deep.members([...foldCounters(await wholeLog(log)).values()]);
    await shop.stop();
  });
});

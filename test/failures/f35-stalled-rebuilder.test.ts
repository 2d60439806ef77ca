import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { rebuildAll } from '#projection/engine/rebuild.ts';
import { counted, counters, foldCounters, type Counter } from '#test/support/counting-shop.ts';
import { appendPlain, plainDecoder, wholeLog } from '#test/support/plain-log.ts';
import { openProjections } from '#test/support/projection-house.ts';

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

describe('F35 a stalled rebuilder', () => {
  it('that wakes after another has rebuilt leaves what that one filled in its place', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    await fillLog(log);
    const options = { store: log, codec: plainDecoder() };
    await rebuildAll([counters], { ...options, readStore });
    const stalled = freezable(readStore);
    const frozen = stalled.freezeBefore('change', 'projections');
    const late = rebuildAll([counters], { ...options, readStore: stalled.store });
    await frozen;
    const [served] = await rebuildAll([counters], { ...options, readStore });
    stalled.thaw();
    expect((await late).map(({ collection }) => collection)).to.deep.equal([served?.collection]);
    expect(await readStore.get('projections', 'counters')).to.include({ generation: served?.generation });
    expect((await readStore.collections()).filter((name) => name.startsWith('counters'))).to.deep.equal([
      served?.collection,
    ]);
    await expectFilled(log, readStore);
  });

  it('that wakes after another has filled an empty read store takes nothing back', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    await fillLog(log);
    const stalled = freezable(readStore);
    const frozen = stalled.freezeBefore('change', 'projections');
    const options = { store: log, codec: plainDecoder() };
    const late = rebuildAll([counters], { ...options, readStore: stalled.store });
    await frozen;
    await rebuildAll([counters], { ...options, readStore });
    await rebuildAll([counters], { ...options, readStore });
    stalled.thaw();
    await late;
    expect(await readStore.get('projections', 'counters')).to.include({ generation: 3 });
    await expectFilled(log, readStore);
  });

  it('that wakes before it drops what it has replaced leaves later ones alone', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    await fillLog(log);
    const options = { store: log, codec: plainDecoder() };
    await rebuildAll([counters], { ...options, readStore });
    const stalled = freezable(readStore);
    const frozen = stalled.freezeBefore('drop', 'counters_v1_1');
    const late = rebuildAll([counters], { ...options, readStore: stalled.store });
    await frozen;
    const next = freezable(readStore);
    const full = next.freezeBefore('change', 'projections');
    const rebuilding = rebuildAll([counters], { ...options, readStore: next.store });
    await full;
    stalled.thaw();
    await late;
    next.thaw();
    await rebuilding;
    expect(await readStore.get('projections', 'counters')).to.include({ generation: 3 });
    await expectFilled(log, readStore);
  });

  it('that has counted the generations before another took the next number fills one of its own', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    await fillLog(log);
    const options = { store: log, codec: plainDecoder() };
    const stalled = freezable(readStore);
    const frozen = stalled.freezeBefore('change', 'checkpoints');
    const late = rebuildAll([counters], { ...options, readStore: stalled.store });
    await frozen;
    const [served] = await rebuildAll([counters], { ...options, readStore });
    stalled.thaw();
    await late;
    expect(await readStore.get('projections', 'counters')).to.include({ generation: served?.generation });
    await expectFilled(log, readStore);
  });

  it('a collection that is gone is filled again, never served', async () => {
    const log = createMemoryEventStore();
    const readStore = createMemoryDocumentStore();
    await fillLog(log);
    const [served] = await rebuildAll([counters], { store: log, codec: plainDecoder(), readStore });
    await readStore.drop(served?.collection ?? '');
    const shop = await openProjections({ log, projections: [counters], readStore });
    while (shop.engine.collectionOf('counters') === null)
      await new Promise((resolve) => setImmediate(resolve));
    const found = await shop.reader.find<Counter>('counters');
    expect(found.map(plain)).to.have.deep.members([...foldCounters(await wholeLog(log)).values()]);
    await shop.stop();
  });
});

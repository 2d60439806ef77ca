import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { ok, reader as caller, route } from '#http/route.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { adoptUnversioned, dropFormerVersions, servingGeneration } from '#projection/engine/generations.ts';
import type { ProjectionEngine } from '#projection/engine/projection-engine.ts';
import { readViews } from '#projection/engine/read-views.ts';
import { rebuildAll } from '#projection/engine/rebuild.ts';
import { noteVersionsInUse, versionsInUse } from '#projection/engine/versions-in-use.ts';
import { counted, counters, type Counter } from '#test/support/counting-shop.ts';
import { faultyEventStore } from '#test/support/faults.ts';
import { openProjections, type ProjectionRuntime } from '#test/support/open-projections.ts';
import { appendPlain, plainDecoder } from '#test/support/plain-log.ts';

const raised = { ...counters, version: 2 };
const readable = { ...raised, readableVersions: [1] };
const hour = 3_600_000;

/** A log that keeps the filling of a view waiting until it goes on. A look at the next event is answered. */
const haltedLog = (log: EventStore) => {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  const store = faultyEventStore(log);
  store.runBefore(
    'readAll',
    (_after, limit) => limit !== 1,
    () => promise,
  );
  return { store, goOn };
};

const filled = async (engine: ProjectionEngine, name: string): Promise<void> => {
  while (engine.status().some((one) => one.name === name && one.generation === null)) await nextTurn();
};

const totals = async ({ reader }: ProjectionRuntime): Promise<readonly number[]> =>
  (await reader.find<Counter>('counters')).map(({ total }) => total);

/** A log of two events, and the view in its first version as an earlier release has left it. */
const upgradedShop = async (readStore: DocumentStore = createMemoryDocumentStore()) => {
  const log = createMemoryEventStore();
  await appendPlain(log, 'counter-1', [counted(3), counted(4)]);
  await rebuildAll([counters], { store: log, codec: plainDecoder(), readStore });
  return { log, readStore };
};

describe('a raised version of a view', () => {
  it('is answered for by a former one that its queries can read, with its age, until it is filled', async () => {
    const { log, readStore } = await upgradedShop();
    const { store, goOn } = haltedLog(log);
    const shop = await openProjections({ log: store, projections: [readable], readStore });
    expect(shop.engine.collectionOf('counters')).to.equal('counters_v1_1');
    expect(shop.engine.formerLagSeconds('counters')).to.equal(0);
    expect(await totals(shop)).to.deep.equal([7]);

    await appendPlain(log, 'counter-1', [counted(5)]);
    await shop.feed.head();
    goOn();
    await filled(shop.engine, 'counters');
    expect(shop.engine.collectionOf('counters')).to.equal('counters_v2_2');
    expect(shop.engine.formerLagSeconds('counters')).to.equal(null);
    expect(await totals(shop)).to.deep.equal([12]);
    await shop.stop();
    expect(await readStore.collections()).to.not.include('counters_v1_1');
  });

  it('says how old what answers for it is, from the first event that the former version does not know', async () => {
    const { log, readStore } = await upgradedShop();
    await appendPlain(log, 'counter-1', [{ ...counted(5), recordedAt: '2026-03-01T12:00:00.000Z' }]);
    const { store, goOn } = haltedLog(log);
    const shop = await openProjections({ log: store, projections: [readable], readStore });
    expect(shop.engine.formerLagSeconds('counters')).to.equal(10);
    goOn();
    await shop.stop();
  });

  it('has no answer from a version that its queries cannot read', async () => {
    const { log, readStore } = await upgradedShop();
    const { store, goOn } = haltedLog(log);
    const shop = await openProjections({ log: store, projections: [raised], readStore });
    expect(shop.engine.collectionOf('counters')).to.equal(null);
    expect(shop.engine.formerLagSeconds('counters')).to.equal(null);
    goOn();
    await shop.stop();
  });

  it('has no answer from what shows someone who has been forgotten since', async () => {
    const { log, readStore } = await upgradedShop();
    const forgottenAt = (await log.head()) + 1;
    const { store, goOn } = haltedLog(log);
    const shop = await openProjections({ log: store, projections: [readable], readStore, forgottenAt });
    expect(shop.engine.collectionOf('counters')).to.equal(null);
    goOn();
    await shop.stop();
  });

  it('has no answer from what holds events that a restored log has lost', async () => {
    const { readStore } = await upgradedShop();
    const other = createMemoryEventStore();
    await appendPlain(other, 'counter-9', [counted(1)]);
    const { store, goOn } = haltedLog(other);
    const shop = await openProjections({ log: store, projections: [readable], readStore });
    expect(shop.engine.collectionOf('counters')).to.equal(null);
    goOn();
    await shop.stop();
  });
});

describe('two releases on one read store', () => {
  it('fill and serve a version each, and take nothing from each other', async () => {
    const shared = createMemoryDocumentStore({ isShared: true });
    const { log, readStore } = await upgradedShop(shared);
    const open = (version: typeof counters, stateStore: DocumentStore) =>
      openProjections({ log, projections: [version], readStore, stateStore, isOnlyWriter: false });
    const leases = createMemoryDocumentStore({ isShared: true });
    const before = await open(counters, leases);
    // The one that is to be there while the other follows, as two processes that stall in turn.
    const after = await open(raised, createMemoryDocumentStore({ isShared: true }));
    await filled(after.engine, 'counters');
    expect(after.engine.collectionOf('counters')).to.equal('counters_v2_2');
    expect(before.engine.collectionOf('counters')).to.equal('counters_v1_1');

    await before.engine.askRebuild(['counters'], 'ada');
    while ((await servingGeneration(readStore, counters))?.generation === 1) await nextTurn();
    expect((await servingGeneration(readStore, raised))?.collection).to.equal('counters_v2_2');
    const end = await appendPlain(log, 'counter-1', [counted(5)]);
    for (const shop of [before, after]) {
      await shop.engine.waitFor('counters', end);
      expect(await totals(shop)).to.deep.equal([12]);
      await shop.stop();
    }
  });

  it('keep each other’s versions until one of them has not been seen for ten minutes', async () => {
    const { log, readStore } = await upgradedShop();
    await rebuildAll([raised], { store: log, codec: plainDecoder(), readStore });
    await noteVersionsInUse(readStore, ['counters_v1']);
    await dropFormerVersions(readStore, [raised]);
    expect(await readStore.collections()).to.include.members(['counters_v1_1', 'counters_v2_2']);
    expect(await versionsInUse(readStore, Date.now() + hour)).to.deep.equal(new Set());
    await dropFormerVersions(readStore, [counters]);
    expect(await readStore.collections()).to.include.members(['counters_v1_1', 'counters_v2_2']);
  });

  it('go on with what a release before them has filled, which named one version for both', async () => {
    const readStore = createMemoryDocumentStore();
    const position = 2;
    await readStore.write([
      { collection: 'checkpoints', put: { _id: 'counters_v1_4', position } as never },
      { collection: 'projections', put: { _id: 'counters', version: 1, generation: 4 } as never },
    ]);
    await adoptUnversioned(readStore, [counters]);
    expect((await servingGeneration(readStore, counters))?.collection).to.equal('counters_v1_4');
    expect(await servingGeneration(readStore, raised)).to.equal(null);
  });

  it('answer from a former version that a release before them has filled, too', async () => {
    const { log, readStore } = await upgradedShop();
    await readStore.write([
      { collection: 'projections', remove: 'counters_v1' },
      { collection: 'projections', put: { _id: 'counters', version: 1, generation: 1 } as never },
    ]);
    const { store, goOn } = haltedLog(log);
    const shop = await openProjections({ log: store, projections: [readable], readStore });
    expect(await totals(shop)).to.deep.equal([7]);
    goOn();
    await shop.stop();
  });
});

describe('a query of a view that a former version answers for', () => {
  const lagOf = async (ages: Readonly<Record<string, number>>): Promise<string | undefined> => {
    const query = route({
      base: 'management',
      service: 'projection',
      method: 'GET',
      path: '/counters',
      caller,
      summary: 'Counters',
      reads: [{ name: 'counters' }, { name: 'totals' }],
      file: import.meta.url,
      handle: async () => ok({}),
    });
    const deps = { waitForPosition: async () => null, formerLag: (view: string) => ages[view] ?? null };
    const { handle } = readViews(deps, query);
    return (await handle({} as never)).headers?.['Tillroll-Lag'];
  };

  it('says how old the oldest of its views is, to callers who bring no position, too', async () => {
    expect(await lagOf({ counters: 0.2, totals: 41.5 })).to.equal('42');
    expect(await lagOf({ counters: 0 })).to.equal('0');
    expect(await lagOf({})).to.equal(undefined);
  });
});

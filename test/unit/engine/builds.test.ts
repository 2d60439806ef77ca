import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { fillMissing } from '#projection/cli/build-views.ts';
import { buildsUnderWay, markBuilds } from '#projection/engine/builds-under-way.ts';
import { servingGeneration } from '#projection/engine/generations.ts';
import type { ProjectionEngine } from '#projection/engine/projection-engine.ts';
import { rebuildAll } from '#projection/engine/rebuild.ts';
import { counted, counters, discarded, discards, type Counter } from '#test/support/counting-shop.ts';
import { faultyEventStore } from '#test/support/faults.ts';
import { openProjections } from '#test/support/open-projections.ts';
import { appendPlain, plainDecoder } from '#test/support/plain-log.ts';
import { openSharedReadStore } from '#test/support/shared-read-store.ts';
import { when } from '#test/support/refusal.ts';

const raised = { ...counters, version: 2 };
const broken = {
  ...discards,
  on: {
    Discarded: () => {
      throw new Error('what is this?');
    },
  },
};

/** The release before serves the counters in version 1. */
const givenShop = async () => {
  const log = createMemoryEventStore();
  const readStore = createMemoryDocumentStore();
  await appendPlain(log, 'counter-1', [counted(3), counted(4), discarded()]);
  await appendPlain(log, 'counter-2', [counted(5)]);
  await rebuildAll([counters], { store: log, codec: plainDecoder(), readStore });
  const build = (
    projections: Parameters<typeof fillMissing>[0],
    store: EventStore = log,
    signal?: AbortSignal,
  ) => fillMissing(projections, readStore, { store, codec: plainDecoder(), ...(signal && { signal }) });
  return { log, readStore, build };
};

const views = async (readStore: DocumentStore): Promise<readonly string[]> =>
  (await readStore.collections()).filter((name) => /_v\d+_\d+$/.test(name)).toSorted();

const served = async (engine: ProjectionEngine): Promise<void> => {
  while (engine.collectionOf('counters') === null) await nextTurn();
};

describe('a build of a raised version', () => {
  it('fills it beside what the release before serves, and a start of the new release answers at once', async () => {
    const { log, readStore, build } = await givenShop();
    const { built, failures } = await build([raised]);
    expect([built, failures]).to.deep.equal([[raised], []]);
    expect((await servingGeneration(readStore, counters))?.collection).to.equal('counters_v1_1');
    expect((await servingGeneration(readStore, raised))?.collection).to.equal('counters_v2_2');

    const end = await appendPlain(log, 'counter-2', [counted(1)]);
    const { engine, reader, stop } = await openProjections({ log, projections: [raised], readStore });
    expect(engine.collectionOf('counters')).to.equal('counters_v2_2');
    await engine.waitFor('counters', end);
    expect((await reader.find<Counter>('counters')).map(({ total }) => total)).to.deep.equal([6]);
    await stop();
  });

  it('has nothing to do where this release’s versions are there', async () => {
    const { readStore, build } = await givenShop();
    expect(await build([counters])).to.deep.equal({ built: [], failures: [] });
    expect(await views(readStore)).to.deep.equal(['counters_v1_1']);
  });

  it('leaves alone what serves in a running release that named one version of each view', async () => {
    const { readStore, build } = await givenShop();
    await readStore.write([
      { collection: 'projections', remove: 'counters_v1' },
      {
        collection: 'projections',
        put: { _id: 'counters', version: 1, generation: 1, revision: 1 } as never,
      },
    ]);
    expect(await build([counters])).to.deep.equal({ built: [], failures: [] });
    expect(await views(readStore)).to.deep.equal(['counters_v1_1']);
  });

  it('leaves nothing when it is called off', async () => {
    const { readStore, build, log } = await givenShop();
    const stop = new AbortController();
    stop.abort();
    expect((await when(build([raised], log, stop.signal)).thenFails(Error)).name).to.equal('AbortError');
    expect(await views(readStore)).to.deep.equal(['counters_v1_1']);
    expect(await buildsUnderWay(readStore, [raised])).to.deep.equal(new Set());
  });

  it('says which view cannot take an event, and builds the others', async () => {
    const { readStore, build } = await givenShop();
    const { built, failures } = await build([broken, raised]);
    expect(built).to.deep.equal([raised]);
    expect(failures).to.deep.equal(['discards: the event at position 3: what is this?']);
    expect(await views(readStore)).to.deep.equal(['counters_v1_1', 'counters_v2_2']);
  });

  it('is waited for by a start, which then serves what was built', async () => {
    const { log, readStore, build } = await givenShop();
    const halted = Promise.withResolvers<void>();
    const slow = faultyEventStore(log);
    slow.runBefore(
      'readAll',
      () => true,
      () => halted.promise,
    );
    const building = build([raised], slow);
    while ((await buildsUnderWay(readStore, [raised])).size === 0) await nextTurn();
    const { engine, stop } = await openProjections({ log, projections: [raised], readStore });
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    expect(engine.collectionOf('counters')).to.equal(null);
    halted.resolve();
    await building;
    await served(engine);
    expect(engine.collectionOf('counters')).to.equal('counters_v2_2');
    const end = await appendPlain(log, 'counter-2', [counted(1)]);
    expect((await engine.waitFor('counters', end)).isReached).to.equal(true);
    await stop();
    expect(await views(readStore)).to.deep.equal(['counters_v2_2']);
  });

  it('is refused while another process builds one of the same versions, and leaves that one alone', async () => {
    const { log, readStore, build } = await givenShop();
    const halted = Promise.withResolvers<void>();
    const slow = faultyEventStore(log);
    slow.runBefore(
      'readAll',
      () => true,
      () => halted.promise,
    );
    const building = build([raised], slow);
    while ((await buildsUnderWay(readStore, [raised])).size === 0) await nextTurn();
    const { message } = await when(build([discards, raised])).thenFails(Error);
    expect(message).to.equal('counters is being built by another process: wait until that has ended.');
    expect(await buildsUnderWay(readStore, [discards, raised])).to.deep.equal(new Set(['counters']));
    halted.resolve();
    expect((await building).built).to.deep.equal([raised]);
    expect((await build([discards, raised])).built).to.deep.equal([discards]);
  });

  it('that was killed holds up no start for longer than a minute', async () => {
    const { readStore } = await givenShop();
    const killedAt = Date.now();
    const unmark = await markBuilds(readStore, [raised], () => killedAt);
    expect(await buildsUnderWay(readStore, [raised, discards], killedAt + 59_000)).to.deep.equal(
      new Set(['counters']),
    );
    expect(await buildsUnderWay(readStore, [raised], killedAt + 60_000)).to.deep.equal(new Set());
    // The clock was set back since.
    expect(await buildsUnderWay(readStore, [raised], killedAt - 60_000)).to.deep.equal(new Set());
    const unmarkNext = await markBuilds(readStore, [raised], () => killedAt + 60_000);
    expect(await buildsUnderWay(readStore, [raised], killedAt + 61_000)).to.deep.equal(new Set(['counters']));
    await unmarkNext();
    await unmark();
  });

  it('is seen by a start beside it as it is now, however often that has looked', async () => {
    const { held, beside, close } = await openSharedReadStore();
    try {
      let now = Date.now();
      const building = async () => [...(await buildsUnderWay(held, [raised], now))];
      const endFirst = await markBuilds(beside, [raised], () => now);
      expect(await building()).to.deep.equal(['counters']);
      now += 90_000;
      const end = await markBuilds(beside, [raised], () => now);
      expect(await building(), 'for longer than a minute').to.deep.equal(['counters']);
      await end();
      await endFirst();
      expect(await building(), 'once it has ended').to.deep.equal([]);
    } finally {
      await close();
    }
  });
});

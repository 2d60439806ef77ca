import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { ProjectionEngine } from '#projection/engine/projection-engine.ts';
import { createPace } from '#projection/engine/rebuilds/pace.ts';
import type { RebuildState } from '#projection/engine/rebuilds/rebuild-order.document.ts';
import { counted, counters, discarded, discards, grandTotal } from '#test/support/counting-shop.ts';
import { faultyEventStore } from '#test/support/faults.ts';
import { openProjections } from '#test/support/open-projections.ts';
import { appendPlain } from '#test/support/plain-log.ts';

const projections = [counters, grandTotal, discards];

/** A shop whose views have caught up with a log, and in which the next reads of a rebuild can be held. */
const open = async () => {
  const log = faultyEventStore(createMemoryEventStore());
  const readStore = createMemoryDocumentStore();
  let end = 0;
  for (let stream = 0; stream < 20; stream++)
    end = await appendPlain(log, `counter-${stream}`, [
      ...Array.from({ length: 60 }, (_, by) => counted(by)),
      discarded(),
    ]);
  const shop = await openProjections({ log, projections, readStore });
  for (const { name } of projections) await shop.engine.waitFor(name, end);
  const collections = async (): Promise<readonly string[]> =>
    (await readStore.collections()).filter((name) => name.includes('_v')).sort();
  return { ...shop, log, readStore, end, collections };
};

const seen = async (
  engine: ProjectionEngine,
  name: string,
  isWanted: (state: RebuildState) => boolean,
): Promise<RebuildState> => {
  for (;;) {
    const state = (await engine.rebuilds()).get(name);
    if (state && isWanted(state)) return state;
    await nextTurn();
  }
};

const ended = ({ engine }: { readonly engine: ProjectionEngine }, name: string): Promise<RebuildState> =>
  seen(engine, name, ({ isDone }) => isDone);

/** Holds the next page of a rebuild, and every later one. */
const holdReads = (log: ReturnType<typeof faultyEventStore>) => {
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const hold = (): Promise<void> => {
    reached.resolve();
    log.runBefore('readAll', () => true, hold);
    return held.promise;
  };
  log.runBefore('readAll', () => true, hold);
  return { reached: reached.promise, release: held.resolve };
};

describe('orders to rebuild (docs/rules/replay.md#progress)', () => {
  it('say who asked, when it began, what was read and that it is done', async () => {
    const shop = await open();
    await shop.engine.askRebuild(['counters', 'discards'], 'ada@example.com');
    const state = await ended(shop, 'counters');
    expect(state).to.include({ askedBy: 'ada@example.com', phase: null, share: 1, failure: null });
    expect(state).to.include({ eventsRead: shop.end, position: shop.end, head: shop.end });
    expect(Date.parse(state.startedAt ?? '')).to.be.closeTo(Date.now(), 60_000);
    await shop.stop();
  });

  it('are carried out two passes at a time, each for those that were asked for together', async () => {
    const shop = await open();
    const reads = holdReads(shop.log);
    for (const { name } of projections) await shop.engine.askRebuild([name], 'ada');
    await seen(shop.engine, 'grandTotal', ({ startedAt }) => startedAt !== null);
    expect((await shop.engine.rebuilds()).get('discards')).to.include({
      phase: 'waiting',
      startedAt: null,
    });
    reads.release();
    for (const { name } of projections) expect(await ended(shop, name)).to.include({ failure: null });
    expect(await shop.collections()).to.deep.equal(['counters_v1_2', 'discards_v1_2', 'grandTotal_v1_2']);
    await shop.stop();
  });

  it('end when they are cancelled: nothing of that view stays, the others of the pass go on', async () => {
    const shop = await open();
    const reads = holdReads(shop.log);
    await shop.engine.askRebuild(['counters', 'grandTotal'], 'ada');
    await reads.reached;
    expect(await shop.engine.cancelRebuild('counters', 'bob')).to.equal(true);
    reads.release();
    expect(await ended(shop, 'counters')).to.include({ failure: 'cancelled by bob' });
    expect(await ended(shop, 'grandTotal')).to.include({ failure: null });
    expect(await shop.collections()).to.deep.equal(['counters_v1_1', 'discards_v1_1', 'grandTotal_v1_2']);
    expect(await shop.readStore.get('checkpoints', 'counters_v1_2')).to.equal(null);
    expect(await shop.engine.cancelRebuild('counters', 'bob')).to.equal(false);

    const next = await appendPlain(shop.log, 'counter-1', [counted(1)]);
    expect((await shop.engine.waitFor('counters', next)).isReached).to.equal(true);
    await shop.engine.askRebuild(['counters'], 'ada');
    expect(await ended(shop, 'counters')).to.include({ failure: null });
    expect(await shop.collections()).to.include('counters_v1_3');
    await shop.stop();
  });

  it('are followed by one that is asked for while they are being ended, unless that is cancelled too', async () => {
    const shop = await open();
    const reads = holdReads(shop.log);
    await shop.engine.askRebuild(['counters', 'grandTotal'], 'ada');
    await reads.reached;
    for (const name of ['counters', 'grandTotal']) await shop.engine.cancelRebuild(name, 'bob');
    await shop.engine.askRebuild(['counters', 'grandTotal'], 'cy');
    expect(await shop.engine.cancelRebuild('grandTotal', 'dee')).to.equal(true);
    reads.release();
    const followed = await seen(shop.engine, 'counters', ({ isDone, askedBy }) => isDone && askedBy === 'cy');
    expect(followed).to.include({ failure: null, share: 1 });
    expect(await ended(shop, 'grandTotal')).to.include({ failure: 'cancelled by dee', askedBy: 'ada' });
    expect(await shop.collections())
      .to.include('counters_v1_3')
      .and.not.include('grandTotal_v1_3');
    await shop.stop();
  });

  it('wait while an engine is away, and are gone on with', async () => {
    const shop = await open();
    shop.log.runBefore(
      'readAll',
      () => true,
      () => {
        throw new EngineUnavailable('the log is away');
      },
    );
    await shop.engine.askRebuild(['counters'], 'ada');
    expect(await ended(shop, 'counters')).to.include({ failure: null, position: shop.end });
    expect(await shop.collections()).to.include('counters_v1_2');
    await shop.stop();
  });

  it('that are cancelled before their turn, or while their process is away, never begin', async () => {
    const shop = await open();
    const reads = holdReads(shop.log);
    await shop.engine.askRebuild(['counters'], 'ada');
    await reads.reached;
    reads.release();
    await shop.stop();
    expect(await shop.engine.cancelRebuild('counters', 'bob')).to.equal(true);
    const next = await openProjections({ log: shop.log, projections, readStore: shop.readStore });
    expect(await ended(next, 'counters')).to.include({ failure: 'cancelled by bob' });
    expect(await shop.collections()).to.deep.equal(['counters_v1_1', 'discards_v1_1', 'grandTotal_v1_1']);
    await next.stop();
  });
});

describe('the pace of a rebuild', () => {
  it('is told from what this process has read, and how long the rest takes from that', () => {
    let now = 1000;
    const pace = createPace(500, () => now);
    const at = (position: number, events: number) =>
      pace({ phase: 'filling', position, head: 10_000, events });
    now = 2000;
    expect(at(2000, 100)).to.include({
      eventsRead: 600,
      eventsPerSecond: 100,
      share: 0.2,
      secondsLeft: null,
    });
    now = 3000;
    expect(at(4000, 400)).to.include({ eventsRead: 900, eventsPerSecond: 200, share: 0.4, secondsLeft: 6 });
    now = 4000;
    // What is taken at the switch is counted from 0 for each view.
    expect(at(9000, 30)).to.include({ eventsRead: 930, eventsPerSecond: 143 });
  });
});

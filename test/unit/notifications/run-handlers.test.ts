import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { resumeHandlers } from '#dispatcher/contexts/notifications/handler-mark.ts';
import { runHandlers, type RunningHandlers } from '#dispatcher/contexts/notifications/run-handlers.ts';
import { resumeDispatch } from '#dispatcher/engine/resume-dispatch.ts';
import { taxGroup } from '#entities/tax-group.entity.ts';
import { newId } from '#kernel/ids.ts';
import { createFeed } from '#log/feed.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore } from '#ports/event-store.ts';
import { createLeases } from '#runtime/leases.ts';
import { appendPlain, plainDecoder, shopClock, silentLog } from '#test/support/plain-log.ts';

const created = (name: string) =>
  taxGroup.events.create.TaxGroupCreated({
    taxGroup: { name, taxPercentage: 1, rates: [] },
    at: '2026-03-01T12:00:00.000Z',
  });

describe('handlers after an event (docs/guides/hooks.md#after)', () => {
  let log: EventStore = createMemoryEventStore();
  const memory = createMemoryDocumentStore();
  const told: string[] = [];
  let isAway = false;
  let work = Promise.resolve();
  const stateStore: Pick<typeof memory, 'declare' | 'get' | 'write'> = {
    declare: (...declared) => memory.declare(...declared),
    get: (...wanted) => memory.get(...wanted),
    write: async (writes: Parameters<typeof memory.write>[0]) => {
      if (isAway) throw new EngineUnavailable('the state store is away');
      return memory.write(writes);
    },
  };
  let running: RunningHandlers;
  let stopFeed: () => Promise<void>;

  const start = async (): Promise<void> => {
    const feed = createFeed({ store: log, codec: plainDecoder(), clock: shopClock, log: silentLog });
    await feed.start();
    stopFeed = () => feed.stop();
    running = await runHandlers({
      handlers: [
        {
          name: 'ledger',
          notification: 'TaxGroupCreatedNotification',
          priority: 2000,
          after: ({ taxGroup: group }) => {
            told.push((group as { name: string }).name);
            return work;
          },
        },
      ],
      feed,
      stateStore,
      leases: createLeases({ stateStore: memory, instanceId: newId(), isOnlyWriter: true }),
      log: silentLog,
    });
    await running.waitFor(await feed.head(), 30_000);
  };
  const stop = async (): Promise<void> => {
    await running.stop();
    await stopFeed();
  };
  const tell = async (name: string): Promise<void> => {
    const position = await appendPlain(log, `taxGroup-${newId()}`, [created(name)]);
    expect(await running.waitFor(position, 30_000)).to.equal(true);
  };

  it('get no past events, every new one, resume from their checkpoint, and get uncommitted ones again', async () => {
    await appendPlain(log, `taxGroup-${newId()}`, [created('past')]);
    await start();
    await tell('first');
    await stop();
    await appendPlain(log, `taxGroup-${newId()}`, [created('while away')]);
    await start();
    expect(told).to.deep.equal(['first', 'while away']);
    isAway = true;
    await tell('kept late');
    await stop();
    isAway = false;
    await start();
    await stop();
    expect(told).to.deep.equal(['first', 'while away', 'kept late', 'kept late']);
  });

  it('get an event again if the process stopped before they were done', async () => {
    await start();
    told.length = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    work = promise;
    await appendPlain(log, `taxGroup-${newId()}`, [created('half done')]);
    while (told.length === 0) await nextTurn();
    await stop();
    resolve();
    await start();
    await stop();
    expect(told).to.deep.equal(['half done', 'half done']);
  });

  it('wait when the log was restored and grew past where they were, until someone says where to go on', async () => {
    work = Promise.resolve();
    await start();
    await tell('lost');
    await stop();
    told.length = 0;
    const before = (await log.readAll(0)).slice(0, -1);
    log = createMemoryEventStore();
    for (const { stream, revision, ...one } of before) await log.append(stream, revision - 1, [one]);
    for (const name of ['instead', 'and one more'])
      await appendPlain(log, `taxGroup-${newId()}`, [created(name)]);

    const resume = (from: number | 'now') =>
      resumeDispatch(
        log,
        [{ name: 'handlers', resume: (wish) => resumeHandlers({ stateStore, store: log }, wish) }],
        from,
      );
    const starting = start();
    while (!running.stopped) await nextTurn();
    expect(running.stopped).to.deep.include({ position: before.length + 1 });
    expect(running.stopped?.message).to.include('tillroll dispatch resume');
    expect(told).to.deep.equal([]);
    const after = before.length + 1;
    expect(await resume(after)).to.deep.equal({ after, resumed: ['handlers'] });
    await starting;
    expect((await resume(0)).resumed).to.deep.equal([]);
    await stop();
    expect([told, running.stopped]).to.deep.equal([['and one more'], null]);
  });

  it('resume from an older release’s checkpoint without an id', async () => {
    await memory.updateIf('hookHandlers', { _id: 'hook-handlers' }, { unset: ['eventId'] });
    told.length = 0;
    await start();
    await tell('after the upgrade');
    await stop();
    expect(told).to.deep.equal(['after the upgrade']);
  });

  it('can be stopped right after the start', async () => {
    await start();
    await stop();
  });
});

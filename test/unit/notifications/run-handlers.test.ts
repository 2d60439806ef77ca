import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { runHandlers, type RunningHandlers } from '#dispatcher/contexts/notifications/run-handlers.ts';
import { taxGroup } from '#entities/tax-group.entity.ts';
import { newId } from '#kernel/ids.ts';
import { createFeed } from '#log/feed.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { createLeases } from '#runtime/leases.ts';
import { appendPlain, plainDecoder, shopClock, silentLog } from '#test/support/plain-log.ts';

const created = (name: string) =>
  taxGroup.events.create.TaxGroupCreated({
    taxGroup: { name, taxPercentage: 1, rates: [] },
    at: '2026-03-01T12:00:00.000Z',
  });

describe('handlers after an event (docs/hooks.md#after)', () => {
  const log = createMemoryEventStore();
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

  it('are not told the past, are told each event, go on where they were, and hear again what was not kept', async () => {
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

  it('hear again of an event that they were not done with when the process stopped', async () => {
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

  it('stop although they have hardly begun', async () => {
    await start();
    await stop();
  });
});

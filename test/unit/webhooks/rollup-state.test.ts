import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { declareDeliveries } from '#dispatcher/contexts/webhooks/delivery-rows.ts';
import { newDelivery } from '#dispatcher/contexts/webhooks/delivery.ts';
import { rollUp } from '#dispatcher/contexts/webhooks/roll-up-deliveries.job.ts';
import {
  readRollupState,
  reopenRollups,
  rollupCollection,
  type OpenHour,
} from '#dispatcher/contexts/webhooks/rollup-state.ts';
import { seriesOfWebhooks, statsOfWebhooks } from '#dispatcher/contexts/webhooks/webhook-stats.ts';
import { isoInstant } from '#kernel/clock.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore, Patch } from '#ports/document-store.ts';
import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import { idNamed } from '../../support/builders/basket.ts';

const MINUTE = 60_000;
const nine = Date.UTC(2026, 2, 1, 9);
const at = (hour: number, minute: number): number => Date.UTC(2026, 2, 1, hour, minute);

const row: Delivery = {
  ...newDelivery(
    {
      _id: idNamed('delivery'),
      subscriptionId: idNamed('subscription'),
      topic: 'invoice.paid',
      entityType: null,
      entityId: null,
      requestBody: '{}',
    },
    { maxPayloadSizeBytes: 1_000_000 },
    nine + MINUTE,
  ),
  status: 'Succeeded',
  dueAt: null,
  attemptNumber: 1,
  dateCompleted: isoInstant(nine + MINUTE),
};

// docs/rules/webhooks.md#rollups
describe('an hour whose deliveries are sent again', () => {
  let store: DocumentStore;
  beforeEach(async () => {
    store = createMemoryDocumentStore();
    await declareDeliveries(store);
    await store.write([{ collection: deliveriesCollection, put: row }]);
  });

  const openHours = async (): Promise<number> => (await readRollupState(store)).open.length;
  const changes = async (): Promise<number> => (await readRollupState(store)).version;
  const statsOf = () => statsOfWebhooks(store, { subscriptions: () => [] }, {});
  const become = (set: NonNullable<Patch['set']>) =>
    store.updateIf(deliveriesCollection, { _id: row._id }, { set });

  it('is opened once for many of them, and stays open until the last have had time to rest', async () => {
    await rollUp(store, at(10, 10));
    const before = await changes();
    for (const [minute, expected] of [
      [20, 1],
      [21, 1],
      [24, 1],
      [26, 2],
    ] as const) {
      expect(await reopenRollups(store, [row], at(10, minute))).to.deep.equal([row]);
      expect((await changes()) - before, `at ${minute}`).to.equal(expected);
    }
    await rollUp(store, at(10, 31));
    expect(await openHours(), 'after it was opened').to.equal(1);
    await rollUp(store, at(10, 36));
    expect(await openHours(), 'ten minutes after the last of them').to.equal(0);
  });

  it('is counted from its rows, where it is rolled up just before one is queued', async () => {
    expect(await reopenRollups(store, [row], at(10, 10))).to.deep.equal([row]);
    await rollUp(store, at(10, 10));
    await become({ status: 'Pending', dateCompleted: null });
    expect(await statsOf()).to.include({ totalDeliveries: 1, successfulDeliveries: 0, pendingDeliveries: 1 });
    await become({ status: 'Abandoned', dateCompleted: isoInstant(at(10, 12)) });
    await rollUp(store, at(10, 20));
    expect(await openHours()).to.equal(0);
    expect(await statsOf()).to.include({ totalDeliveries: 1, abandonedDeliveries: 1, pendingDeliveries: 0 });
  });

  it('is read from its rollup once, and again after another dispatcher has changed any', async () => {
    await rollUp(store, at(10, 10));
    let reads = 0;
    const find: DocumentStore['find'] = (collection, options) => {
      if (collection === rollupCollection) reads++;
      return store.find(collection, options);
    };
    const reader = new Proxy(store, {
      get: (target, name: keyof DocumentStore) => {
        const method = (name === 'find' ? find : target[name]) as (...given: readonly unknown[]) => unknown;
        return (...given: readonly unknown[]): unknown => Reflect.apply(method, target, given);
      },
    });
    const delivered = async (): Promise<readonly number[]> => {
      const [from, to] = [isoInstant(at(8, 0)), isoInstant(at(10, 0) - 1)];
      reads = 0;
      const { points } = await seriesOfWebhooks(reader, { from, to, interval: 'hour' });
      return points.map((point) => point.delivered);
    };
    expect([await delivered(), reads]).to.deep.equal([[0, 1], 1]);
    expect([await delivered(), reads]).to.deep.equal([[0, 1], 0]);
    await reopenRollups(store, [row], at(10, 20));
    await become({ status: 'Abandoned' });
    await rollUp(store, at(10, 40));
    expect([await delivered(), reads]).to.deep.equal([[0, 0], 1]);
  });

  it('waits for others while 15,000 are open; those themselves may be opened again', async () => {
    const start = isoInstant(nine);
    const open = Array.from({ length: 15_000 }, (_, n): OpenHour => ({
      subscriptionId: `${n}`,
      start,
      since: nine,
      purged: null,
      purging: null,
    }));
    const [hoursUpTo, version] = [isoInstant(at(12, 0)), 1];
    const state = { _id: 'state', version, hoursUpTo, daysUpTo: '', open, purgedBefore: '', unwritten: [] };
    await store.insertIfAbsent(rollupCollection, state);
    const refusal = await reopenRollups(store, [row], at(12, 30)).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(EngineUnavailable).with.property('message').that.includes('15000 hours');
    expect(await changes()).to.equal(version);
    const other = { subscriptionId: '7', dateCreated: row.dateCreated };
    expect(await reopenRollups(store, [other], at(12, 30))).to.deep.equal([other]);
  });
});

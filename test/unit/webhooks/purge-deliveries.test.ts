import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { declareDeliveries } from '#dispatcher/contexts/webhooks/delivery-rows.ts';
import { newDelivery } from '#dispatcher/contexts/webhooks/delivery.ts';
import { purgeDeliveries } from '#dispatcher/contexts/webhooks/purge-deliveries.job.ts';
import { reopenRollups, rollupCollection } from '#dispatcher/contexts/webhooks/rollup-state.ts';
import { statsOfWebhooks } from '#dispatcher/contexts/webhooks/webhook-stats.ts';
import { isoInstant } from '#kernel/clock.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import { dyingStore } from '../../support/dying-store.ts';
import { idNamed } from '../../support/builders/basket.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const start = Date.UTC(2026, 2, 1, 9);
const settings = { maxPayloadSizeBytes: 1_000_000 };

const finished = (name: string, at: number, changes: Partial<Delivery> = {}): Delivery => {
  const { length } = name;
  const queued = { _id: idNamed(name), topic: 'invoice.paid', entityType: null, entityId: null } as const;
  const subscriptionId = idNamed(length % 2 === 0 ? 'even' : 'odd');
  const made = newDelivery({ ...queued, subscriptionId, requestBody: '{}' }, settings, at);
  const done = { status: 'Succeeded', dueAt: null, attemptNumber: 1, durationMs: length * 10 } as const;
  return { ...made, ...done, dateCompleted: made.dateCreated, ...changes };
};

const waiting = { status: 'Pending', dateCompleted: null, attemptNumber: 0, durationMs: 0 } as const;

const atRest = finished('a', start);
const besideWaiting = finished('abc', start + HOUR);

/** An hour that rests, one in which a delivery waits, and one of which only the beginning is old enough. */
const rows: readonly Delivery[] = [
  atRest,
  finished('ab', start + 1),
  besideWaiting,
  finished('abcd', start + HOUR + 1, { status: 'Abandoned' }),
  finished('abcde', start + HOUR + 2, waiting),
  finished('abcdef', start + 2 * HOUR),
  finished('abcdefg', start + 2.9 * HOUR),
];
const now = start + 30 * DAY + 2.5 * HOUR;

describe('a purge of deliveries', () => {
  let store: DocumentStore;
  const statsOf = () => statsOfWebhooks(store, { subscriptions: () => [] }, {});
  const purge = (on: DocumentStore, at = now): Promise<unknown> =>
    purgeDeliveries(on, { deliveryLogRetentionDays: 30 }).runOnce(at);
  const fill = async (): Promise<void> => {
    store = createMemoryDocumentStore();
    await declareDeliveries(store);
    await store.write(rows.map((put) => ({ collection: deliveriesCollection, put })));
  };
  const isKilledAfter = (steps: number): Promise<boolean> =>
    purge(dyingStore(store, steps)).then(
      () => false,
      (error: unknown) => error instanceof EngineUnavailable,
    );
  beforeEach(fill);

  it('deletes what is finished and old enough, to the millisecond, and changes no figure', async () => {
    const before = await statsOf();
    expect(before).to.include({ totalDeliveries: 7, successfulDeliveries: 5, pendingDeliveries: 1 });
    expect(await purge(store)).to.deep.equal({ purged: 5 });
    expect(await store.count(deliveriesCollection)).to.equal(2);
    expect(await statsOf()).to.deep.equal(before);
  });

  it('leaves days in the place of hours after two years, except of hours that are open', async () => {
    const before = await statsOf();
    const hours = () => store.count(rollupCollection, { level: 'hour', start: { gte: '', lt: '9' } });
    await purge(store, start + 729 * DAY);
    const kept = await hours();
    const late = start + 732 * DAY;
    await purge(store, late);
    // Of two subscriptions, and of all, in the hour before that in which one waits.
    expect([kept > 0, await hours()], 'one waits').to.deep.equal([true, kept - 3]);
    const done = { set: { status: 'Succeeded', dateCompleted: isoInstant(late), attemptNumber: 1 } };
    await store.updateIf(deliveriesCollection, { _id: idNamed('abcde'), status: 'Pending' }, done);
    for (const day of [1, 2]) await purge(store, late + day * DAY);
    expect(await hours()).to.equal(0);
    expect(await statsOf()).to.include({
      totalDeliveries: before.totalDeliveries,
      successfulDeliveries: before.successfulDeliveries + 1,
    });
  });

  it('that is killed anywhere changes no figure, and the next one deletes the rest', async () => {
    const before = await statsOf();
    let isKilled = true;
    for (let steps = 0; isKilled; steps++) {
      await fill();
      isKilled = await isKilledAfter(steps);
      expect(await statsOf(), `killed after ${steps} steps`).to.deep.equal(before);
      await purge(store);
      expect(await statsOf(), `killed after ${steps} steps, and done again`).to.deep.equal(before);
      expect(await store.count(deliveriesCollection)).to.equal(2);
    }
  });

  for (const [name, row] of Object.entries({
    'rests with its hour': atRest,
    'one waits beside': besideWaiting,
  }))
    for (const isAskedFirst of [true, false])
      it(`counts once what is sent again after ${isAskedFirst ? 'its beginning' : 'a kill'}: what ${name}`, async () => {
        const mayBeSent = async () => (await reopenRollups(store, [row], now)).length > 0;
        let isKilled = true;
        for (let steps = 0; isKilled; steps++) {
          await fill();
          const wasAllowed = isAskedFirst && (await mayBeSent());
          isKilled = await isKilledAfter(steps);
          const again = { set: { status: 'Pending', dateCompleted: null } };
          if (wasAllowed || (!isAskedFirst && (await mayBeSent())))
            await store.updateIf(deliveriesCollection, { _id: row._id, status: 'Succeeded' }, again);
          expect(await statsOf(), `after ${steps} steps`).to.include({ totalDeliveries: 7 });
          await purge(store);
          expect(await statsOf(), `after ${steps} steps, and the next run`).to.include({
            totalDeliveries: 7,
          });
        }
      });
});

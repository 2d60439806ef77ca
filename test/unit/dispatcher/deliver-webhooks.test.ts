import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { deliverWebhooks } from '#dispatcher/contexts/webhooks/deliver-webhooks.job.ts';
import { newDelivery } from '#dispatcher/contexts/webhooks/delivery.ts';
import { declareDeliveries, type DeliveryRow } from '#dispatcher/contexts/webhooks/delivery-rows.ts';
import type { Due } from '#dispatcher/engine/worker.ts';
import { isoInstant } from '#kernel/clock.ts';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';

const now = Date.UTC(2026, 2, 1, 12);
const ago = (minutes: number): string => isoInstant(now - minutes * 60_000);

const row = (_id: string, subscriptionId: string, more: Partial<DeliveryRow> = {}): DeliveryRow => ({
  ...newDelivery(
    {
      ...{ _id, subscriptionId, topic: 'customer.created', entityType: null, entityId: null },
      requestBody: '{}',
    },
    { maxPayloadSizeBytes: 1000 },
    now,
  ),
  position: 1,
  ...more,
});

const retrying = { status: 'Retrying', attemptNumber: 1, dueAt: ago(1) } as const;
/** Queued again by a replay a day ago. */
const replayed = {
  status: 'Pending',
  attemptNumber: 1,
  position: 1 - Number.MAX_SAFE_INTEGER,
  dueAt: ago(1),
} as const;

/** What one run begins, of which this process holds some. */
const run = async (rows: readonly DeliveryRow[], held: readonly string[]) => {
  const stateStore = createMemoryDocumentStore();
  await declareDeliveries(stateStore);
  await stateStore.write(rows.map((put) => ({ collection: deliveriesCollection, put })));
  const retried: string[] = [];
  const caughtUp = new Set<string>();
  const handedOn: Due[] = [];
  const job = deliverWebhooks({
    stateStore,
    queues: {
      retry: (_key, id) => {
        retried.push(id);
        return Promise.resolve('succeeded');
      },
      catchUp: (key) => void caughtUp.add(key),
      catchUpStalled: () => undefined,
      quiet: () => Promise.resolve(true),
    },
    subscriptionIds: () => [...new Set(rows.map(({ subscriptionId }) => subscriptionId))],
    worker: {
      holds: (key) => held.includes(key),
      handOn: async (due) => void handedOn.push(...due),
    },
    isInactive: () => false,
    deliveryIntervalSeconds: 10,
    counted: () => Promise.resolve(),
    recoverCounts: () => Promise.resolve(),
    patienceMs: 0,
  });
  await job.runOnce(now);
  return { retried, caughtUp, handedOn };
};

describe('the job that delivers webhooks', () => {
  it('starts a retry that is due beside a long backlog of the same subscription', async () => {
    const backlog = Array.from({ length: 150 }, (_, index) => row(`new ${index}`, 'a', { dueAt: ago(5) }));
    const { retried, caughtUp } = await run([...backlog, row('again', 'a', retrying)], ['a']);
    expect(retried).to.deep.equal(['again']);
    expect([...caughtUp]).to.deep.equal(['a']);
  });

  it('leaves what a replay has queued again in its place, however long ago that was', async () => {
    const rows = [row('replayed', 'a', replayed), row('again', 'a', retrying)];
    const { retried, caughtUp } = await run(rows, ['a']);
    expect(retried).to.deep.equal(['again']);
    expect([...caughtUp]).to.deep.equal(['a']);
  });

  it('hands it on as a replay’s to the process that holds the subscription', async () => {
    const { handedOn } = await run([row('replayed', 'b', replayed)], []);
    expect(handedOn).to.deep.equal([
      { key: 'b', deliveryId: 'replayed', attemptNumber: 0, isReplayed: true },
    ]);
  });
});

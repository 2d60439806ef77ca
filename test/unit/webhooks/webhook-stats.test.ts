import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import { declareDeliveries } from '#dispatcher/contexts/webhooks/delivery-rows.ts';
import { newDelivery } from '#dispatcher/contexts/webhooks/delivery.ts';
import { statsOfWebhooks } from '#dispatcher/contexts/webhooks/webhook-stats.ts';
import { idNamed } from '../../support/builders/basket.ts';

const start = Date.UTC(2026, 2, 1, 9);
const settings = { maxPayloadSizeBytes: 1_000_000 };

/** The n-th delivery: created `n % 3` seconds after the first, so that many share an instant. */
const attempted = (n: number, changes: Partial<Delivery>): Delivery => ({
  ...newDelivery(
    {
      _id: idNamed(`delivery ${n}`),
      subscriptionId: idNamed('subscription'),
      topic: 'invoice.paid',
      entityType: 'Payment',
      entityId: idNamed('invoice'),
      requestBody: '{}',
    },
    settings,
    start + (n % 3) * 1000,
  ),
  ...changes,
});

const statsOf = async (deliveries: readonly Delivery[], window = {}) => {
  const store = createMemoryDocumentStore();
  await declareDeliveries(store);
  await store.write(deliveries.map((put) => ({ collection: deliveriesCollection, put })));
  return statsOfWebhooks(store, { subscriptions: () => [] }, window);
};

describe('webhook statistics', () => {
  it('average every attempt, however many were made and however many at once', async () => {
    const deliveries = Array.from({ length: 900 }, (_, index) =>
      attempted(index, { status: 'Succeeded', attemptNumber: 1, durationMs: index < 450 ? 10 : 21 }),
    );
    const stats = await statsOf(deliveries);
    expect(stats).to.include({ totalDeliveries: 900, successRate: 100, averageResponseTimeMs: 15.5 });
  });

  it('average the attempts of all outcomes and leave out untried deliveries', async () => {
    const stats = await statsOf([
      attempted(0, { status: 'Succeeded', attemptNumber: 1, durationMs: 10 }),
      attempted(1, { status: 'Succeeded', attemptNumber: 2, durationMs: 20 }),
      attempted(2, { status: 'Abandoned', attemptNumber: 5, durationMs: 71 }),
      attempted(3, { status: 'Pending', attemptNumber: 0, durationMs: 0 }),
    ]);
    expect(stats).to.include({ averageResponseTimeMs: 33.67, successRate: 50, abandonedDeliveries: 1 });
  });

  it('average within the window, its ends included', async () => {
    const deliveries = Array.from({ length: 900 }, (_, index) =>
      attempted(index, { status: 'Succeeded', attemptNumber: 1, durationMs: (index % 3) * 100 }),
    );
    const from = '2026-03-01T09:00:01.000Z';
    expect(await statsOf(deliveries, { from })).to.include({
      totalDeliveries: 600,
      averageResponseTimeMs: 150,
    });
    expect(await statsOf(deliveries, { from, to: from })).to.include({
      totalDeliveries: 300,
      averageResponseTimeMs: 100,
    });
  });
});

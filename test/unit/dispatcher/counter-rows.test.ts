import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { counterCollection, type SubscriptionCounters } from '#topics/webhook-delivery.ts';
import { addToCounters } from '#dispatcher/contexts/webhooks/counter-rows.ts';
import type { DocumentStore } from '#ports/document-store.ts';

const subscriptionId = '0194f3a0-0000-7000-8000-000000000001';
const successes = (successCount: number) => ({ increment: { successCount, failureCount: 0 }, set: {} });

describe('the counters of a subscription', () => {
  let stateStore: DocumentStore;
  const add = (run: string, round: number, count: number): Promise<void> =>
    addToCounters(stateStore, subscriptionId, { run, round }, successes(count));
  const counted = async (): Promise<number | undefined> =>
    (await stateStore.get<SubscriptionCounters>(counterCollection, subscriptionId))?.successCount;
  beforeEach(async () => {
    stateStore = createMemoryDocumentStore();
    await stateStore.declare(counterCollection);
  });

  it('add up the first counts of two runs at the same moment, of which one was killed', async () => {
    await Promise.all([add('killed', 1, 1), add('next', 1, 36)]);
    expect(await counted()).to.equal(37);
  });

  it('count a round once, however often it is added', async () => {
    await Promise.all([add('run', 1, 2), add('run', 1, 2)]);
    await add('run', 1, 2);
    await add('run', 2, 3);
    expect(await counted()).to.equal(5);
  });
});

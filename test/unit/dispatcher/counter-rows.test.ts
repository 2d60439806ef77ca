import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import {
  counterCollection,
  zeroCounters,
  type Delivery,
  type DeliveryStatus,
  type SubscriptionCounters,
} from '#topics/webhook-delivery.ts';
import {
  addToCounters,
  noAddition,
  ofEarlier,
  withOutcome,
  type Addition,
  type CountedResult,
} from '#dispatcher/contexts/webhooks/counter-rows.ts';
import { newDelivery } from '#dispatcher/contexts/webhooks/delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';

const subscriptionId = '0194f3a0-0000-7000-8000-000000000001';
const successes = (successCount: number): Addition => ({
  ...noAddition,
  increment: { ...noAddition.increment, successCount },
});
const at = '2026-03-01T09:00:00.000Z';
const settings = { maxPayloadSizeBytes: 1000 };
const queued = { _id: 'delivery', subscriptionId, topic: 'invoice.paid', requestBody: '{}' } as const;
const unsent = newDelivery({ ...queued, entityType: null, entityId: null }, settings, Date.parse(at));
const attempted = (status: DeliveryStatus): Delivery => ({ ...unsent, status, dateSent: at });
const abandoned = attempted('Abandoned');

type Outcome = readonly [Delivery, CountedResult];
const failed: Outcome = [attempted('Retrying'), 'failed'];
const succeeded: Outcome = [attempted('Succeeded'), 'succeeded'];
const adding = (...outcomes: readonly Outcome[]): Addition =>
  outcomes.reduce((sum, [delivery, result]) => withOutcome(sum, delivery, result, at), noAddition);

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

  describe('say how many attempts failed in a row', () => {
    const afterRounds = async (...rounds: readonly Addition[]): Promise<number | undefined> => {
      for (const [index, addition] of rounds.entries())
        await addToCounters(stateStore, subscriptionId, { run: 'run', round: index + 1 }, addition);
      return (await stateStore.get<SubscriptionCounters>(counterCollection, subscriptionId))?.failuresInARow;
    };

    const cases: readonly (readonly [what: string, rounds: readonly Addition[], expected: number])[] = [
      ['over rounds', [adding(failed, failed), adding(failed)], 3],
      ['from the last success on', [adding(failed, failed), adding(failed, succeeded, failed)], 1],
      ['none after a success', [adding(failed), adding(succeeded)], 0],
      ['with the attempt after which a delivery is given up', [adding(failed, [abandoned, 'failed'])], 2],
      [
        'without what was too large to be sent',
        [adding(failed), adding([{ ...abandoned, dateSent: null }, 'failed'])],
        1,
      ],
      [
        'as the latest attempts have it, when earlier ones are counted late',
        [adding(succeeded), ofEarlier(adding(failed))],
        0,
      ],
    ];
    for (const [what, rounds, expected] of cases)
      it(what, async () => expect(await afterRounds(...rounds)).to.equal(expected));

    it('to what an older release has counted, too', async () => {
      const older = { ...zeroCounters(subscriptionId), failuresInARow: undefined };
      await stateStore.insertIfAbsent(counterCollection, JSON.parse(JSON.stringify(older)) as typeof older);
      expect(await afterRounds(adding(failed, failed))).to.equal(2);
    });
  });

  it('say how many deliveries were given up, those by hand apart', async () => {
    const test: Outcome = [{ ...abandoned, isTest: true }, 'failed'];
    const tooLarge: Outcome = [{ ...abandoned, dateSent: null }, 'failed'];
    const addition = adding(failed, [abandoned, 'failed'], test, tooLarge, succeeded);
    expect(addition.increment).to.deep.equal({ successCount: 1, failureCount: 4, givenUpCount: 2 });
  });
});

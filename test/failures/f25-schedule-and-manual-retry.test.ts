import { expect } from 'chai';
import type { Delivery } from '#topics/webhook-delivery.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { claim } from '#topics/delivery-steps.ts';
import { newDelivery, next, retryWebhook } from '#dispatcher/contexts/webhooks/delivery.ts';
import type { SendOutcome } from '#ports/sender.ts';
import { Rejection } from '#kernel/rejection.ts';
import { idNamed } from '../support/builders/basket.ts';

const retryDelaysSeconds = [60, 300, 900, 3600, 14_400];
const start = Date.UTC(2026, 2, 1, 9);
const collection = 'deliveries';

const answer = (statusCode: number): SendOutcome => ({
  statusCode,
  headers: {},
  body: '',
  durationMs: 1,
  error: null,
});

/** One delivery and its worker: a question at `now` sends it if it is due then. */
const deliveryAlone = async (maxRetries = 5) => {
  const settings = { maxRetries, retryDelaysSeconds, maxPayloadSizeBytes: 1000 };
  const store = createMemoryDocumentStore();
  await store.declare(collection);
  const _id = idNamed('delivery');
  const queued = {
    _id,
    subscriptionId: idNamed('subscription'),
    topic: 'order.created',
    requestBody: '{}',
  } as const;
  await store.insertIfAbsent(
    collection,
    newDelivery({ ...queued, entityType: null, entityId: null }, settings, start),
  );
  const read = async (): Promise<Delivery> =>
    (await store.get<Delivery>(collection, _id)) ?? expect.fail('the delivery is gone');
  const attempt = async (now: number, statusCode: number): Promise<boolean> => {
    const taken = claim(_id, now);
    const mine = await store.updateIf<Delivery>(collection, taken.when, taken.patch);
    if (!mine) return false;
    const { when, patch } = next(mine, answer(statusCode), settings, now, null);
    return (await store.updateIf(collection, when, patch)) !== null;
  };
  const retry = async (now: number): Promise<void> => {
    const { when, patch } = retryWebhook(await read(), settings, now, 'staff');
    await store.updateIf(collection, when, patch);
  };
  /** Fails attempt after attempt, each exactly when it is due; the delays between them, in seconds. */
  const failToTheEnd = async (
    from: number,
  ): Promise<{ readonly delays: readonly number[]; readonly at: number }> => {
    const delays: number[] = [];
    let now = from;
    for (;;) {
      await attempt(now, 500);
      const { nextRetryUtc } = await read();
      if (nextRetryUtc === null) return { delays, at: now };
      const dueAt = Date.parse(nextRetryUtc);
      expect(await attempt(dueAt - 1, 500), 'a millisecond too early').to.equal(false);
      delays.push((dueAt - now) / 1000);
      now = dueAt;
    }
  };
  return { read, attempt, retry, failToTheEnd };
};

describe('F25: a receiver that always fails, and retries by hand', () => {
  it('is tried five times in all, each after its delay, then abandoned', async () => {
    const delivery = await deliveryAlone();
    const { delays } = await delivery.failToTheEnd(start);
    expect(delays).to.deep.equal([60, 300, 900, 3600]);
    expect(await delivery.read()).to.include({ status: 'Abandoned', attemptNumber: 5, nextRetryUtc: null });
  });

  it('gets the last delay again and again when there are more attempts than delays', async () => {
    const delivery = await deliveryAlone(7);
    const { delays } = await delivery.failToTheEnd(start);
    expect(delays).to.deep.equal([...retryDelaysSeconds, 14_400]);
  });

  it('is abandoned at once where there are to be no retries', async () => {
    const delivery = await deliveryAlone(0);
    expect((await delivery.failToTheEnd(start)).delays).to.deep.equal([]);
    expect(await delivery.read()).to.include({ status: 'Abandoned', attemptNumber: 1 });
  });

  it('is sent at once by hand while it waits: the scheduled attempt falls away and the schedule goes on', async () => {
    const delivery = await deliveryAlone();
    await delivery.attempt(start, 500);
    await delivery.retry(start + 10_000);
    expect(await delivery.read()).to.include({ status: 'Pending', nextRetryUtc: null, attemptNumber: 1 });
    expect(await delivery.attempt(start + 10_000, 500)).to.equal(true);
    expect(await delivery.attempt(start + 60_000, 500), 'the scheduled attempt').to.equal(false);
    const waiting = await delivery.read();
    expect(waiting.nextRetryUtc).to.equal(new Date(start + 10_000 + 300_000).toISOString());
    expect(waiting).to.include({ status: 'Retrying', attemptNumber: 2 });
  });

  it('is sent once more by hand after it was abandoned, and abandoned again', async () => {
    const delivery = await deliveryAlone();
    const { at } = await delivery.failToTheEnd(start);
    await delivery.retry(at + 1000);
    expect(await delivery.attempt(at + 1000, 500)).to.equal(true);
    expect(await delivery.read()).to.include({ status: 'Abandoned', attemptNumber: 6 });
    await delivery.retry(at + 2000);
    expect(await delivery.attempt(at + 2000, 200)).to.equal(true);
    expect(await delivery.read()).to.include({ status: 'Succeeded', attemptNumber: 7 });
  });

  it('is left alone once it has arrived', async () => {
    const delivery = await deliveryAlone();
    await delivery.attempt(start, 500);
    await delivery.attempt(start + 60_000, 500);
    await delivery.attempt(start + 360_000, 200);
    expect(await delivery.read()).to.include({ status: 'Succeeded', attemptNumber: 3, nextRetryUtc: null });
    expect(await delivery.attempt(start + 10_000_000, 200)).to.equal(false);
    const refusal = await delivery.retry(start + 10_000_000).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(Rejection);
  });
});

import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import { claim, purgeFilter, stuckFilter, type Transition } from '#topics/delivery-steps.ts';
import { attemptsOf } from '#topics/past-attempts.ts';
import {
  interruptDelivery,
  newDelivery,
  next,
  retryWebhook,
  type QueuedDelivery,
} from '#dispatcher/contexts/webhooks/delivery.ts';
import { abandon } from '#topics/http-attempt.ts';
import { keptOf } from '#topics/delivery-outcome.ts';
import type { SendOutcome } from '#ports/sender.ts';
import { Rejection } from '#kernel/rejection.ts';
import { idNamed } from '../../support/builders/basket.ts';

const settings = {
  maxRetries: 5,
  retryDelaysSeconds: [60, 300, 900, 3600, 14_400],
  maxPayloadSizeBytes: 1_000_000,
};
const start = Date.UTC(2026, 2, 1, 9);

const queued: QueuedDelivery = {
  _id: idNamed('delivery'),
  subscriptionId: idNamed('subscription'),
  topic: 'invoice.paid',
  entityType: 'Payment',
  entityId: idNamed('invoice'),
  requestBody: '{}',
};

const answered = (statusCode: number): SendOutcome => ({
  statusCode,
  headers: { server: 'test' },
  body: 'body',
  durationMs: 12.4,
  error: null,
});

/** The delivery's row in a store, and the steps that its life consists of. */
const deliveryInStore = async (given: Partial<QueuedDelivery> = {}) => {
  const store = createMemoryDocumentStore();
  await store.declare(deliveriesCollection, [{ fields: ['dueAt'] }, { fields: ['status', 'dateSent'] }]);
  const row = newDelivery({ ...queued, ...given }, settings, start);
  await store.insertIfAbsent(deliveriesCollection, row);
  const step = ({ when, patch }: Transition) => store.updateIf<Delivery>(deliveriesCollection, when, patch);
  const claimed = (now: number) => step(claim(queued._id, now));
  return {
    row,
    store,
    step,
    claim: claimed,
    attempt: async (now: number, outcome: SendOutcome) => {
      const mine = await claimed(now);
      return mine && step(next(mine, outcome, settings, now, null));
    },
  };
};

describe('a delivery', () => {
  it('is due at once, sent by only one worker, and succeeds', async () => {
    const delivery = await deliveryInStore();
    const [first, second] = await Promise.all([delivery.claim(start), delivery.claim(start)]);
    expect([first?.attemptNumber, second]).to.deep.equal([1, null]);
    expect(first?.status).to.equal('Sending');
    const sent = { targetUrl: 'https://example.com/', headers: { 'X-Service-Topic': 'invoice.paid' } };
    const done = first && (await delivery.step(next(first, answered(204), settings, start + 5, sent)));
    expect(done).to.include({
      status: 'Succeeded',
      dateCompleted: new Date(start + 5).toISOString(),
      responseStatusCode: 204,
      responseBody: 'body',
      durationMs: 12,
      errorMessage: null,
      targetUrl: sent.targetUrl,
    });
    expect(done?.requestHeaders).to.deep.equal(sent.headers);
    expect(await delivery.claim(start + 1_000_000)).to.equal(null);
  });

  it('fails on every status but 2xx, whatever the receiver asks for', async () => {
    for (const status of [301, 302, 400, 404, 410, 429, 500, 503]) {
      const delivery = await deliveryInStore();
      const failed = await delivery.attempt(start, answered(status));
      expect(failed, String(status)).to.include({
        status: 'Retrying',
        nextRetryUtc: new Date(start + 60_000).toISOString(),
        errorMessage: `The receiver answered with status ${status}`,
      });
    }
  });

  describe('whose receiver asks for time by Retry-After', () => {
    const nextTry = async (status: number, header: string): Promise<number> => {
      const delivery = await deliveryInStore();
      const outcome = { ...answered(status), headers: { 'retry-after': header } };
      const failed = await delivery.attempt(start, outcome);
      return (Date.parse(failed?.nextRetryUtc ?? '') - start) / 1000;
    };

    for (const status of [429, 503]) {
      it(`is tried again at the later of schedule and that time after a ${status}`, async () => {
        expect(await nextTry(status, '90')).to.equal(90);
        expect(await nextTry(status, '5')).to.equal(60);
        expect(await nextTry(status, '0')).to.equal(60);
      });
    }

    it('reads a date in any form that HTTP has', async () => {
      expect(await nextTry(503, 'Sun, 01 Mar 2026 09:01:40 GMT')).to.equal(100);
      expect(await nextTry(503, 'Sunday, 01-Mar-26 09:01:40 GMT')).to.equal(100);
      expect(await nextTry(503, 'Sun Mar  1 09:01:40 2026')).to.equal(100);
      expect(await nextTry(503, 'Sat, 28 Feb 2026 09:00:00 GMT')).to.equal(60);
    });

    it('waits at most one delay of the schedule longer, whatever is asked for', async () => {
      for (const header of ['86400', '9'.repeat(400), 'Fri, 01 Jan 2999 00:00:00 GMT'])
        expect(await nextTry(429, header), header).to.equal(120);
    });

    it('keeps to the schedule when that cannot be read', async () => {
      const absurd = ['-5', 'soon', '1e3', '12.5', 'NaN', '', '2026-03-01', 'Sun', '٣٠', '90, 90'];
      for (const header of absurd) expect(await nextTry(429, header), header).to.equal(60);
    });

    it('keeps to the schedule after every other status', async () => {
      for (const status of [301, 410, 500, 502])
        expect(await nextTry(status, '90'), String(status)).to.equal(60);
    });
  });

  describe('remembers its attempts', () => {
    it('newest first: when, what was answered, how long it took, and why it failed', async () => {
      const delivery = await deliveryInStore();
      await delivery.attempt(start, answered(500));
      await delivery.attempt(start + 60_000, {
        ...answered(200),
        statusCode: null,
        error: 'Request timed out',
      });
      const done = await delivery.attempt(start + 360_000, answered(204));
      expect(done && attemptsOf(done)).to.deep.equal([
        {
          attemptNumber: 3,
          dateSent: '2026-03-01T09:06:00.000Z',
          responseStatusCode: 204,
          durationMs: 12,
          errorMessage: null,
        },
        {
          attemptNumber: 2,
          dateSent: '2026-03-01T09:01:00.000Z',
          responseStatusCode: null,
          durationMs: 12,
          errorMessage: 'Request timed out',
        },
        {
          attemptNumber: 1,
          dateSent: '2026-03-01T09:00:00.000Z',
          responseStatusCode: 500,
          durationMs: 12,
          errorMessage: 'The receiver answered with status 500',
        },
      ]);
    });

    it('and stores nothing more when it arrives at once', async () => {
      const delivery = await deliveryInStore();
      const done = await delivery.attempt(start, answered(200));
      expect(done).not.to.have.property('attempts');
      expect(done && attemptsOf(done)).to.have.length(1);
      expect(attemptsOf(delivery.row)).to.deep.equal([]);
    });

    it('the one under way when it is over, the interrupted one without its end', async () => {
      const delivery = await deliveryInStore();
      const mine = (await delivery.claim(start)) ?? expect.fail('not claimed');
      expect(attemptsOf(mine)).to.deep.equal([]);
      const waiting = await delivery.step(interruptDelivery(mine, start + 400_000));
      expect(waiting && attemptsOf(waiting)).to.deep.equal([
        {
          attemptNumber: 1,
          dateSent: '2026-03-01T09:00:00.000Z',
          responseStatusCode: null,
          durationMs: null,
          errorMessage: 'Interrupted',
        },
      ]);
    });

    it('and what a row of an older release says of its last one', () => {
      const row = { ...newDelivery(queued, settings, start), attemptNumber: 3, status: 'Retrying' } as const;
      expect(attemptsOf({ ...row, errorMessage: 'Connection refused' })).to.deep.equal([
        {
          attemptNumber: 3,
          dateSent: null,
          responseStatusCode: null,
          durationMs: 0,
          errorMessage: 'Connection refused',
        },
      ]);
    });

    it('the newest fifty, in a few kilobytes', async () => {
      const delivery = await deliveryInStore();
      const patient = { ...settings, maxRetries: 100 };
      for (let count = 0; count < 60; count++) {
        const mine = (await delivery.claim(start + count * 86_400_000)) ?? expect.fail('not claimed');
        await delivery.step(next(mine, answered(500), patient, start + count * 86_400_000, null));
      }
      const row =
        (await delivery.store.get<Delivery>(deliveriesCollection, queued._id)) ?? expect.fail('no row');
      expect(attemptsOf(row)).to.have.length(50);
      expect(attemptsOf(row)[0]).to.include({ attemptNumber: 60 });
      expect(JSON.stringify(row)).to.have.length.below(12_000);
    });
  });

  it('is tried again after a minute where the settings name no delay', () => {
    const row = { ...newDelivery(queued, settings, start), attemptNumber: 1 };
    const { patch } = next(row, answered(500), { ...settings, retryDelaysSeconds: [] }, start, null);
    expect(patch.set).to.include({ nextRetryUtc: new Date(start + 60_000).toISOString() });
  });

  it('fails when something went wrong, also after a good status', async () => {
    const delivery = await deliveryInStore();
    const failed = await delivery.attempt(start, { ...answered(200), error: 'Request timed out' });
    expect(failed).to.include({
      status: 'Retrying',
      errorMessage: 'Request timed out',
      responseStatusCode: 200,
    });
  });

  it('keeps ten thousand characters of an answer', () => {
    expect(keptOf('x'.repeat(65_536))).to.have.length(10_000);
    expect(keptOf('short')).to.equal('short');
  });

  it('is abandoned without an attempt when it is too large, by its bytes', () => {
    const small = { maxPayloadSizeBytes: 10 };
    expect(newDelivery({ ...queued, requestBody: '"éééé"' }, small, start).status).to.equal('Pending');
    const large = newDelivery({ ...queued, requestBody: '"ééééé"' }, small, start);
    expect(large).to.include({
      status: 'Abandoned',
      attemptNumber: 0,
      dueAt: null,
      dateCompleted: new Date(start).toISOString(),
      errorMessage: 'Payload exceeds max size: 12 bytes > 10 bytes',
    });
    expect(() => retryWebhook(large, small, start, 'staff')).to.throw(Rejection, 'Payload exceeds');
  });

  it('is not tried again by itself when it was a test', async () => {
    const delivery = await deliveryInStore({ isTest: true });
    expect(await delivery.attempt(start, answered(500))).to.include({
      status: 'Abandoned',
      attemptNumber: 1,
    });
  });

  it('is abandoned when its subscription is gone', async () => {
    const delivery = await deliveryInStore();
    const mine = await delivery.claim(start);
    const gone = mine && (await delivery.step(abandon(mine, 'Subscription not found', start)));
    expect(gone).to.include({ status: 'Abandoned', errorMessage: 'Subscription not found' });
  });

  it('that got stuck is given to the next worker, and its late owner changes nothing', async () => {
    const delivery = await deliveryInStore();
    const mine = await delivery.claim(start);
    const isStuck = async (now: number) =>
      (await delivery.store.find(deliveriesCollection, { filter: stuckFilter(now, 360) })).length === 1;
    expect(await isStuck(start + 359_000)).to.equal(false);
    expect(await isStuck(start + 360_000)).to.equal(true);
    if (!mine) return expect.fail('not claimed');
    expect(await delivery.step(interruptDelivery(mine, start + 360_000))).to.include({ status: 'Pending' });
    expect(await delivery.step(interruptDelivery(mine, start + 360_000))).to.equal(null);
    const theirs = await delivery.claim(start + 360_000);
    expect(theirs).to.include({ status: 'Sending', attemptNumber: 2 });
    expect(await delivery.step(next(mine, answered(500), settings, start + 361_000, null))).to.equal(null);
  });

  it('is purged when it is old and done', async () => {
    const delivery = await deliveryInStore();
    await delivery.store.declare(deliveriesCollection, [{ fields: ['status', 'dateCreated'] }]);
    const isOld = async (now: number) =>
      (await delivery.store.count(deliveriesCollection, purgeFilter(now, 30))) === 1;
    const days = 86_400_000;
    expect(await isOld(start + 31 * days)).to.equal(false);
    await delivery.attempt(start, answered(200));
    expect(await isOld(start + 30 * days)).to.equal(false);
    expect(await isOld(start + 31 * days)).to.equal(true);
  });
});

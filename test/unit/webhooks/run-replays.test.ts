import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { newDelivery } from '#dispatcher/contexts/webhooks/delivery.ts';
import { declareDeliveries, type DeliveryRow } from '#dispatcher/contexts/webhooks/delivery-rows.ts';
import { queueStretch } from '#dispatcher/contexts/webhooks/replays/queue-stretch.ts';
import { replaysCollection, type Replay } from '#dispatcher/contexts/webhooks/replays/replay.ts';
import { declareReplays } from '#dispatcher/contexts/webhooks/replays/replays.ts';
import {
  runReplays,
  type ReplayRunner,
  type RunReplaysDeps,
} from '#dispatcher/contexts/webhooks/replays/run-replays.ts';
import { UnreadableEvent, type Said } from '#dispatcher/contexts/webhooks/topic-log.ts';
import { rollupCollection, type OpenHour } from '#dispatcher/contexts/webhooks/rollup-state.ts';
import { isoInstant } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import { NoSuchPosition } from '#ports/engine-errors.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { pause } from '#runtime/back-off.ts';
import { createLeases } from '#runtime/leases.ts';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { subscriptionWith } from '#test/support/builders/webhook.ts';
import { at, openWebhooks, type WebhookRuntime } from '#test/support/open-webhooks.ts';
import { silentLog } from '#test/support/plain-log.ts';

const now = Date.parse(at);
const subscriptionId = idNamed('subscription');

const replayWith = (given: Partial<Replay> = {}): Replay => {
  const _id = given._id ?? newId();
  return {
    ...{ _id, subscriptionId, topic: 'customer.created', include: 'missing', from: at, to: at },
    ...{ status: 'Running', begin: 0, reached: 0, end: 10, endEventId: idNamed('end') },
    ...{ queued: 0, skipped: 0, message: null, dateCreated: at, dateCompleted: null, runsFor: _id },
    ...given,
  };
};

type TopicLog = RunReplaysDeps['topicLog'];
const silent: TopicLog['after'] = async function* () {
  yield* [];
};
const failingWith =
  (error: Error): TopicLog['after'] =>
  () => {
    throw error;
  };

/** What a number of events have to say to the subscription. */
const saidOf = async (runtime: WebhookRuntime, count: number): Promise<readonly Said[]> => {
  await runtime.register(...Array.from({ length: count }, (_, index) => `customer ${index}`));
  const said: Said[] = [];
  const audience = { id: subscriptionId, topic: 'customer.created' } as const;
  for await (const stretch of runtime.topicLog.after(audience, 0)) said.push(...stretch.said.flat());
  expect(said).to.have.length(count);
  return said;
};

describe('replays at work', () => {
  let stateStore: DocumentStore;
  let runner: ReplayRunner;

  beforeEach(async () => {
    stateStore = createMemoryDocumentStore();
    await declareDeliveries(stateStore);
    await declareReplays(stateStore);
  });
  afterEach(() => runner.stop());

  const run = async (
    replays: readonly Replay[],
    { after = silent, isThisLog = true, isFollowing = true, isTelling = (): boolean => false } = {},
  ): Promise<void> => {
    await stateStore.write(replays.map((put) => ({ collection: replaysCollection, put })));
    runner = runReplays({
      ...{ stateStore, clock: { now: () => now }, log: silentLog },
      leases: createLeases({ stateStore, instanceId: newId(), isOnlyWriter: true }),
      webhooks: { subscription: (id) => subscriptionWith({ id, topic: 'customer.created' }) },
      topicLog: { after, confirm: async (mark) => (isThisLog ? mark : null) },
      reference: { waitFor: async () => isFollowing },
      follower: { waitFor: async () => isFollowing },
      announce: () => Promise.resolve(),
      isTelling,
      recoverCounts: () => Promise.resolve(),
      personalTexts: { openAll: async (texts) => texts },
      settings: { maxPayloadSizeBytes: 1000 },
      matches: () => true,
      onRefused: () => undefined,
    });
  };
  const stored = (id: string) => stateStore.get<Replay>(replaysCollection, id);
  const ended = async (replay: Replay) => {
    expect(await runner.idle(5000), 'idle').to.equal(true);
    return stored(replay._id);
  };

  it('fail when the log was restored: what it holds by now is something else', async () => {
    let hasRead = false;
    const replay = replayWith();
    await run([replay], {
      isThisLog: false,
      after: async function* () {
        hasRead = true;
        yield { said: [], upTo: 10, size: 1, recordedUpTo: now };
      },
    });
    expect(await ended(replay)).to.include({
      status: 'Failed',
      message: 'The log was restored to an older copy',
      runsFor: null,
    });
    expect(hasRead).to.equal(false);
  });

  it('are called off though the process does not keep up with the log', async () => {
    const replay = replayWith({ status: 'Cancelling' });
    await run([replay], { isThisLog: false, isFollowing: false });
    expect(await ended(replay)).to.include({ status: 'Cancelled' });
  });

  for (const [error, message] of [
    [
      new UnreadableEvent('the event at position 7 cannot be read'),
      'An event cannot be read; the log of the dispatcher names it',
    ],
    [new NoSuchPosition(7), 'The log was restored to an older copy'],
    [
      new TypeError('undefined is not a function'),
      'Stopped by an unexpected error; the log of the dispatcher describes it',
    ],
  ] as const) {
    it(`say why they have failed, after ${error.name}`, async () => {
      const replay = replayWith();
      await run([replay], { after: failingWith(error) });
      expect(await ended(replay)).to.include({ status: 'Failed', message });
    });
  }

  const rowWith = (
    given: Pick<DeliveryRow, '_id' | 'subscriptionId'> & Partial<DeliveryRow>,
  ): DeliveryRow => ({
    ...newDelivery(
      { ...given, topic: 'customer.created', entityType: null, entityId: null, requestBody: '{}' },
      { maxPayloadSizeBytes: 1000 },
      now,
    ),
    position: 1,
    ...given,
  });

  it('go on however many others wait for a receiver that is down', async () => {
    const dead = idNamed('dead');
    const waiting = rowWith({ _id: newId(), subscriptionId: dead, position: 1 - Number.MAX_SAFE_INTEGER });
    await stateStore.write([{ collection: deliveriesCollection, put: waiting }]);
    const others = Array.from({ length: 250 }, () => replayWith({ subscriptionId: dead, status: 'Sending' }));
    const replay = replayWith();
    const last = replayWith({ status: 'Sending' });
    await run([...others, replay, last]);
    for (let look = 0; look < 300; look++) {
      const statuses = [await stored(replay._id), await stored(last._id)].map((one) => one?.status);
      if (statuses.every((status) => status === 'Completed')) break;
      await pause(10);
    }
    expect(await stored(replay._id)).to.include({ status: 'Completed' });
    expect(await stored(last._id)).to.include({ status: 'Completed' });
    expect(await stored(others[0]?._id ?? '')).to.include({ status: 'Sending' });
  });

  const queuedOf = async ({ _id }: Replay): Promise<Replay | null> => {
    for (let look = 0; look < 300 && (await stored(_id))?.status === 'Running'; look++) await pause(10);
    return stored(_id);
  };

  describe('with something to queue', () => {
    let said: readonly Said[];
    const sayAll: TopicLog['after'] = async function* () {
      yield { said: [said], upTo: said.length, size: said.length, recordedUpTo: now };
    };
    before(async () => {
      const runtime = await openWebhooks();
      said = await saidOf(runtime, 60);
      await runtime.stop();
    });

    it('wait a moment while something new is on its way, and go on though it always is', async () => {
      let asked = 0;
      const replay = replayWith({ end: said.length });
      await run([replay], { after: sayAll, isTelling: () => ++asked > 0 });
      expect(await queuedOf(replay)).to.include({ status: 'Sending', queued: said.length });
      expect(asked, 'after each of three writes').to.be.at.least(3);
    });

    it('wait while too many hours of figures are open, and hold up no other', async () => {
      const start = isoInstant(now - 7 * 3_600_000);
      const open = Array.from({ length: 15_000 }, (_, n): OpenHour => ({
        ...{ subscriptionId: `${n}`, start, since: now, purged: null, purging: null },
      }));
      const state = { hoursUpTo: isoInstant(now - 3_600_000), daysUpTo: '', purgedBefore: '', unwritten: [] };
      await stateStore.insertIfAbsent(rollupCollection, {
        _id: 'state',
        version: 1,
        open,
        ...state,
      } as Document);
      const [first] = said;
      if (!first) throw new Error('nothing is said');
      const put = rowWith({
        _id: first.envelope.id,
        subscriptionId,
        status: 'Abandoned',
        dateCreated: start,
      });
      await stateStore.write([{ collection: deliveriesCollection, put }]);
      const [held, other] = [replayWith({ include: 'failed', end: said.length }), replayWith()];
      await run([held, other], { after: sayAll });
      expect(await queuedOf(other)).to.include({ status: 'Sending' });
      expect(await stored(held._id)).to.include({ status: 'Running', reached: 0 });
      await stateStore.updateIf(rollupCollection, { _id: 'state' }, { set: { open: [] } });
      expect(await queuedOf(held)).to.include({ status: 'Sending', queued: 1 });
    });
  });

  it('leave a stretch to the next process when they have to stop within it', async () => {
    const replay = replayWith();
    const within = Promise.withResolvers<void>();
    await run([replay], {
      after: async function* () {
        void runner.stop();
        within.resolve();
        yield { said: [], upTo: 5, size: 5, recordedUpTo: now };
      },
    });
    await within.promise;
    await runner.stop();
    expect(await stored(replay._id)).to.include({ status: 'Running', reached: 0 });
  });
});

describe('a stretch of a replay', () => {
  it('is queued no further once another process may have the replay in hand', async () => {
    const runtime = await openWebhooks();
    try {
      const said = await saidOf(runtime, 200);
      const lost = new AbortController();
      await queueStretch(
        {
          ...{ stateStore: runtime.stores.stateStore, clock: runtime.clock, settings: runtime.settings },
          ...{ personalTexts: runtime.personalTexts, matches: () => true, onRefused: () => undefined },
          signal: lost.signal,
          rest: async () => lost.abort(),
        },
        replayWith(),
        { filterExpression: null },
        said,
      );
      expect((await runtime.deliveries(subscriptionId)).length).to.be.within(1, 100);
    } finally {
      await runtime.stop();
    }
  });
});

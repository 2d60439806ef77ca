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
import { newId } from '#kernel/ids.ts';
import { NoSuchPosition } from '#ports/engine-errors.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { pause } from '#runtime/back-off.ts';
import { createLeases } from '#runtime/leases.ts';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { subscriptionWith } from '#test/support/builders/webhook.ts';
import { at, openWebhooks } from '#test/support/open-webhooks.ts';
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
    { after = silent, isThisLog = true, isFollowing = true } = {},
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

  it('go on however many others wait for a receiver that is down', async () => {
    const dead = idNamed('dead');
    const waiting: DeliveryRow = {
      ...newDelivery(
        {
          ...{ _id: newId(), subscriptionId: dead, topic: 'customer.created' },
          ...{ entityType: null, entityId: null, requestBody: '{}' },
        },
        { maxPayloadSizeBytes: 1000 },
        now,
      ),
      position: 1 - Number.MAX_SAFE_INTEGER,
    };
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
      const names = Array.from({ length: 200 }, (_, index) => `customer ${index}`);
      await runtime.register(...names);
      const said: Said[] = [];
      const audience = { id: subscriptionId, topic: 'customer.created' } as const;
      for await (const stretch of runtime.topicLog.after(audience, 0)) said.push(...stretch.said.flat());
      expect(said).to.have.length(names.length);
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

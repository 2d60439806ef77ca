import type { Logger } from 'pino';
import type { Feed } from '#log/feed.ts';
import type { ReferenceFollower } from '#log/follow-reference.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { Leases } from '#runtime/leases.ts';
import type { Delivery } from '#topics/webhook-delivery.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Bus } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import type { Traffic } from '#runtime/traffic.ts';
import type { TopicKey, TopicMessage } from '#topics/topics.ts';
import type { DeliveryQueues } from '../../engine/delivery-queues.ts';
import { followLog, type LogFollower } from '../../engine/follow-log.ts';
import { createSettled } from '../../engine/settled.ts';
import { within } from '../../engine/within.ts';
import { PARTITIONS, startWorker, type Due, type Worker } from '../../engine/worker.ts';
import { createAttempts, type Attempts } from './attempt-delivery.ts';
import { deliverWebhooks } from './deliver-webhooks.job.ts';
import type { DeliverySettings } from './delivery.ts';
import {
  countDeliveries,
  declareDeliveries,
  oldestDueSeconds,
  recoverDeliveries,
  webhookTable,
} from './delivery-rows.ts';
import { createFilterMatcher } from './filter.ts';
import type { Receivers } from './operator-webhook.ts';
import { purgeDeliveries } from './purge-deliveries.job.ts';
import { rollUpDeliveries } from './roll-up-deliveries.job.ts';
import { queueDeliveries } from './queue-deliveries.ts';
import type { Sender } from '#ports/sender.ts';
import { createDeliveryCounter, type DeliveryCounter } from './delivery-counter.ts';
import { openCounterRun, type CounterRuns } from './counter-runs.ts';
import { createWebhookQueues } from './webhook-queues.ts';

/** Section `Webhooks` of the configuration (docs/rules/settings.md#sections). */
export interface WebhookSettings extends DeliverySettings {
  readonly deliveryIntervalSeconds: number;
  readonly deliveryLogRetentionDays: number;
}

export interface WebhookDispatchOptions {
  readonly feed: Feed;
  readonly stateStore: DocumentStore;
  readonly bus: Bus;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'sealers' | 'open' | 'sealLike'>;
  /** Keeps `webhooks` up to date. */
  readonly follower: Pick<ReferenceFollower, 'position' | 'waitFor'>;
  readonly webhooks: Receivers;
  /** Whom staff have told of webhooks that fail, by id; null: only by mail. */
  readonly staffReceiver?: string | null;
  readonly sender: Pick<Sender, 'send'>;
  readonly settings: WebhookSettings;
  readonly topics: {
    readonly messagesOf: (event: Recorded) => readonly TopicMessage[];
    readonly eventTypes: ReadonlyMap<string, readonly TopicKey[]>;
  };
  /** The process is the only one that can write the state store: what an earlier one was sending died with it. */
  readonly isOnlyWriter: boolean;
  /** Callers of this process come first. Default: it has none. */
  readonly traffic?: Pick<Traffic, 'isHeavy'>;
  readonly log: Pick<Logger, 'debug' | 'warn' | 'error'>;
}

/** Webhooks on their way: from the log to the receivers. */
export interface WebhookDispatch {
  readonly follower: LogFollower;
  readonly queues: DeliveryQueues;
  readonly attempts: Attempts;
  readonly counter: DeliveryCounter;
  /** Whether this process sends to a subscription, of all that share the work. */
  readonly holds: Worker['holds'];
  readonly jobs: readonly Job[];
  /** Has the worker of a subscription look for what a replay has queued. Errors: `EngineUnavailable`. */
  announce(subscriptionId: string): Promise<void>;
  /** Whether something new is on its way to a receiver here, up to its first attempt. */
  isTelling(): boolean;
  /** Counts what earlier processes had attempted and not counted. Errors: `EngineUnavailable`. */
  recoverCounts(): Promise<unknown>;
  /** How long the oldest delivery has been due, in seconds of the shop's clock. Errors: `EngineUnavailable`. */
  oldestDueSeconds(): Promise<number>;
  /** How many deliveries were given up that are still in the log of deliveries. Errors: `EngineUnavailable`. */
  abandoned(): Promise<number>;
  /**
   * True once the position has been turned into deliveries and none is due or under way; those that wait for a later
   * retry do not count. False after `timeoutMs` of real time.
   */
  settled(position: number, timeoutMs: number): Promise<boolean>;
  /** Lets attempts finish for a while, gives back the rest. The sender must close between this and the stores. */
  stop(): Promise<void>;
}

const TOPIC = 'webhook-deliveries';
const GROUP = 'webhook-workers';
const KNOWN_WITHIN_MILLISECONDS = 10_000;
const FINISH_WITHIN_MILLISECONDS = 3000;

const follow = (options: WebhookDispatchOptions, counter: DeliveryCounter): Promise<LogFollower> => {
  const { topics, settings, clock, log } = options;
  const matches = createFilterMatcher((filterExpression, error) =>
    log.warn({ filterExpression, err: error }, 'a filter could not be evaluated and matches nothing'),
  );
  const countRefused = (writes: readonly Write[]): void => {
    for (const write of writes) {
      const delivery = 'put' in write ? (write.put as Delivery) : null;
      if (delivery?.status === 'Abandoned') counter.count(delivery, 'failed', isoInstant(clock.now()));
    }
  };
  const mapping = queueDeliveries({
    ...topics,
    matches,
    settings,
    staffReceiver: options.staffReceiver ?? null,
  });
  const isBusy = (): boolean => options.traffic?.isHeavy() ?? false;
  return followLog({ ...options, mapping, topic: TOPIC, onSent: countRefused, isBusy });
};

const subscriptionIds = ({ webhooks }: WebhookDispatchOptions): readonly string[] =>
  webhooks.subscriptions().map(({ id }) => id);

const allSubscriptionIds = async (options: WebhookDispatchOptions): Promise<readonly string[]> => {
  const isKnown = await options.follower.waitFor(await options.feed.head(), KNOWN_WITHIN_MILLISECONDS);
  if (!isKnown) throw new EngineUnavailable('reference state does not keep up with the log');
  return subscriptionIds(options);
};

/** What an earlier process has left: outcomes to be counted, and rows in its queues that the bus has forgotten. */
const restore = async (
  options: WebhookDispatchOptions,
  takeUp: () => void,
  runs: CounterRuns,
): Promise<void> => {
  const { feed, follower, log } = options;
  await follower.waitFor(await feed.head(), KNOWN_WITHIN_MILLISECONDS);
  const recovering = runs.recover().then(() => runs.tidy());
  await recovering.catch((error: unknown) =>
    log.warn({ err: error }, 'what was not counted is not recovered; the delivery job tries again'),
  );
  takeUp();
};

/** Queues what is due to the subscriptions that this process holds, and leaves the others to those who hold them. */
const takeUpHeld = (
  options: WebhookDispatchOptions,
  queues: DeliveryQueues,
  worker: Pick<Worker, 'holds'>,
): void => {
  for (const id of subscriptionIds(options)) {
    if (worker.holds(id)) queues.catchUp(id);
    else queues.release(id);
  }
};

/** Those of other processes; what they do not hear now they hear with the next run. */
const handOn =
  ({ log }: WebhookDispatchOptions, worker: Worker) =>
  async (due: readonly Due[]): Promise<void> => {
    try {
      await worker.handOn(due);
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      log.warn({ err: error }, 'due deliveries of other processes wait for the bus');
    }
  };

const settling = (
  { stateStore, clock }: WebhookDispatchOptions,
  follower: LogFollower,
  job: Job,
  counter: DeliveryCounter,
): WebhookDispatch['settled'] => {
  const isSettled = createSettled({ stateStore, clock, follower, job, table: webhookTable });
  return async (position, timeoutMs) => {
    if (!(await isSettled(position, timeoutMs))) return false;
    await counter.settled();
    return true;
  };
};

/** From the bus to the queue, after the follower has published it. */
const HANDED_ON_WITHIN_MILLISECONDS = 3;

const telling = (follower: LogFollower, queues: DeliveryQueues): WebhookDispatch['isTelling'] => {
  let [position, movedAt] = [follower.position, 0];
  return () => {
    if (!follower.isFollowing) return queues.isClaiming();
    const now = performance.now();
    if (follower.position !== position) [position, movedAt] = [follower.position, now];
    const isHandedOn = now - movedAt < HANDED_ON_WITHIN_MILLISECONDS;
    return follower.lagPositions > 0 || isHandedOn || queues.isClaiming();
  };
};

/** Starts everything between the log and the receivers. */
export const dispatchWebhooks = async (options: WebhookDispatchOptions): Promise<WebhookDispatch> => {
  const { stateStore, bus, webhooks, settings, log } = options;
  await declareDeliveries(stateStore);
  await bus.declareTopic(TOPIC, PARTITIONS);
  if (options.isOnlyWriter) await recoverDeliveries(stateStore, { status: 'Sending' }, options.clock.now());
  const runs = await openCounterRun({ ...options, subscriptionIds: () => allSubscriptionIds(options) });
  const counter = createDeliveryCounter({ stateStore, run: runs.own, log });
  const attempts = createAttempts({
    ...options,
    counter,
    subscription: (id) => webhooks.subscription(id),
    whenKnown: async (position) => {
      if (options.follower.position() < position)
        await options.follower.waitFor(position, KNOWN_WITHIN_MILLISECONDS);
    },
  });
  const stopping = new AbortController();
  const queues = createWebhookQueues(options, attempts, stopping.signal);
  const takeUp = (shared: Pick<Worker, 'holds'>): void => takeUpHeld(options, queues, shared);
  const worker = await startWorker({ bus, topic: TOPIC, group: GROUP, queues, onShared: takeUp });
  webhooks.onChanged((id) => (worker.holds(id) ? queues.catchUp(id) : queues.release(id)));
  const follower = await follow(options, counter);
  const due = {
    stateStore,
    queues,
    worker: { ...worker, handOn: handOn(options, worker) },
    subscriptionIds: () => subscriptionIds(options),
    isInactive: (id: string) => webhooks.subscription(id)?.isActive === false,
    deliveryIntervalSeconds: settings.deliveryIntervalSeconds,
    counted: () => counter.settled(),
    recoverCounts: () => runs.recover(),
  };
  const takingUp = restore(options, () => takeUp(worker), runs).catch((error: unknown) =>
    log.warn({ err: error }, 'waiting deliveries could not be taken up; the delivery job finds them'),
  );
  return {
    follower,
    queues,
    attempts,
    counter,
    holds: worker.holds,
    announce: worker.announceReplayed,
    isTelling: telling(follower, queues),
    recoverCounts: due.recoverCounts,
    jobs: [deliverWebhooks(due), rollUpDeliveries(stateStore), purgeDeliveries(stateStore, settings)],
    oldestDueSeconds: () => oldestDueSeconds(stateStore, options.clock.now()),
    abandoned: () => countDeliveries(stateStore, { status: 'Abandoned' }),
    settled: settling(options, follower, deliverWebhooks({ ...due, patienceMs: 100 }), counter),
    stop: async () => {
      stopping.abort();
      await takingUp;
      await worker.stop();
      await follower.stop();
      await within(FINISH_WITHIN_MILLISECONDS, queues.stop());
      await attempts.release();
      await runs.close(await counter.close());
    },
  };
};

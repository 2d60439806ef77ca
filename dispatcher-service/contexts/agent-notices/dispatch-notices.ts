import type { Logger } from 'pino';
import type { OwnKeys } from '#agents/own-keys.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Feed } from '#log/feed.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { Bus } from '#ports/bus.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Sender } from '#ports/sender.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { Leases } from '#runtime/leases.ts';
import { declareNoticeLog } from '#runtime/notice-log.ts';
import type { Traffic } from '#runtime/traffic.ts';
import { agentNoticesOnBus, hostOfQueue, noticeQueue, type AgentNotice } from '#topics/agent-notice.ts';
import { createDeliveryQueues } from '../../engine/create-delivery-queues.ts';
import type { DeliveryQueues } from '../../engine/delivery-queues.ts';
import { followLog, type LogFollower } from '../../engine/follow-log.ts';
import type { Outgoing } from '../../engine/outgoing-batch.ts';
import { createSettled } from '../../engine/settled.ts';
import { within } from '../../engine/within.ts';
import { startWorker, type Worker } from '../../engine/worker.ts';
import type { AskSending } from './ask-sending.ts';
import { createNoticeAttempts, type NoticeAttempts } from './attempt-notice.ts';
import { deliverNotices } from './deliver-agent-notifications.job.ts';
import {
  countNotices,
  noticeTable,
  oldestDueSeconds,
  queuesWith,
  recoverNotices,
  untriedNotices,
} from './notice-rows.ts';
import { createOrderTurns } from './order-turns.ts';
import { purgeNotices } from './purge-agent-notices.job.ts';
import { queueNotices } from './queue-notices.ts';
import { createRetrySoon } from './retry-soon.ts';

export interface NoticeDispatchOptions {
  readonly feed: Feed;
  readonly stateStore: DocumentStore;
  readonly bus: Bus;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'open' | 'sealLike'>;
  readonly sender: Pick<Sender, 'send'>;
  readonly ownKeys: Pick<OwnKeys, 'signer'>;
  readonly shopUrl: () => string;
  readonly askSending: AskSending;
  /** Writes the notices of what the follower has found. */
  readonly prepare: (outgoing: Outgoing) => Promise<Outgoing>;
  readonly settings: { readonly webhookTimeoutSeconds: number; readonly deliveryLogRetentionDays: number };
  /** No other process can write the state store: what an earlier one was sending died with it. */
  readonly isOnlyWriter: boolean;
  /** Callers of this process come first. Default: it has none. */
  readonly traffic?: Pick<Traffic, 'isHeavy'>;
  readonly log: Pick<Logger, 'debug' | 'warn' | 'error'>;
}

/** Notices on their way: from the log to the agents. */
export interface NoticeDispatch {
  readonly follower: LogFollower;
  readonly queues: DeliveryQueues;
  readonly jobs: readonly Job[];
  /** Sends a notice as soon as it is its turn, and waits for that a while. Errors: `EngineUnavailable`. */
  sendNow(notice: AgentNotice): Promise<void>;
  /** In seconds of the shop's clock. Errors: `EngineUnavailable`. */
  oldestDueSeconds(): Promise<number>;
  /** How many given-up notices are kept. Errors: `EngineUnavailable`. */
  abandoned(): Promise<number>;
  /** True once the position has been turned into notices and none is due or under way; false after `timeoutMs`. */
  settled(position: number, timeoutMs: number): Promise<boolean>;
  /** Lets attempts finish for a while, gives back the rest. The sender must close between this and the stores. */
  stop(): Promise<void>;
}

const { topic, partitions } = agentNoticesOnBus;
const GROUP = 'agent-notice-workers';
/** Each with its whole order. */
const PREPARED_TOGETHER = 100;
const FINISH_WITHIN_MILLISECONDS = 3000;
const SENT_WITHIN_MILLISECONDS = 5000;
/** How many receivers' speed is remembered between their notices. */
const REMEMBERED_QUEUES = 1024;

const createQueues = (
  { stateStore, log }: NoticeDispatchOptions,
  attempts: Pick<NoticeAttempts, 'claim'>,
): DeliveryQueues => {
  const queues = createDeliveryQueues({
    claim: attempts.claim,
    isShared: true,
    untried: (queue, limit) => untriedNotices(stateStore, queue, limit),
    hostOf: hostOfQueue,
    isGone: () => queues.figures().receivers > REMEMBERED_QUEUES,
    onError: (queue, error) =>
      log.warn({ queue, err: error }, 'a notice to an agent could not be tried, its row waits'),
  });
  return queues;
};

/** To its queue here, or to the process that holds it. */
const offerTo =
  (queues: Pick<DeliveryQueues, 'offer'>, worker: Pick<Worker, 'holds' | 'handOn'>) =>
  async (notice: AgentNotice): Promise<void> => {
    const { _id: deliveryId, attemptNumber } = notice;
    const key = noticeQueue(notice);
    if (worker.holds(key)) queues.offer(key, deliveryId);
    else await worker.handOn([{ key, deliveryId, attemptNumber, isReplayed: false }]);
  };

/** Queues what earlier processes left for the receivers that this one serves. */
const takeUpWaiting = async (
  { stateStore, log }: NoticeDispatchOptions,
  queues: Pick<DeliveryQueues, 'catchUp' | 'release'>,
  worker: Pick<Worker, 'holds'>,
): Promise<void> => {
  try {
    for (const queue of await queuesWith(stateStore, 'Pending')) {
      if (worker.holds(queue)) queues.catchUp(queue);
      else queues.release(queue);
    }
  } catch (error) {
    log.warn({ err: error }, 'waiting notices could not be taken up; their job finds them');
  }
};

const passOn = async (
  turns: Pick<ReturnType<typeof createOrderTurns>, 'passOn'>,
  done: AgentNotice,
  log: NoticeDispatchOptions['log'],
): Promise<void> => {
  try {
    await turns.passOn(done);
  } catch (error) {
    log.warn({ err: error, entityId: done.entityId }, 'the next notice waits until its job finds it');
  }
};

/** Starts everything between the log and the agents. */
export const dispatchNotices = async (options: NoticeDispatchOptions): Promise<NoticeDispatch> => {
  const { stateStore, bus, clock, settings, isOnlyWriter, log } = options;
  await declareNoticeLog(stateStore);
  await bus.declareTopic(topic, partitions);
  if (isOnlyWriter) await recoverNotices(stateStore, { status: 'Sending' }, clock.now());
  const turns = createOrderTurns({
    ...{ stateStore, clock, isTelling: (entityId) => attempts.isTelling(entityId) },
    offer: (notice) => offerTo(queues, worker)(notice),
  });
  const attempts = createNoticeAttempts({
    ...options,
    timeoutMs: settings.webhookTimeoutSeconds * 1000,
    isTurnOf: turns.isTurnOf,
    onAttempted: (notice) => (notice.isOpen ? retrySoon.after(notice) : void passOn(turns, notice, log)),
  });
  const queues = createQueues(options, attempts);
  const retrySoon = createRetrySoon(queues, () => worker, clock);
  const worker = await startWorker({
    ...{ bus, topic, group: GROUP, queues },
    onShared: (shared) => void takeUpWaiting(options, queues, shared),
  });
  const isBusy = (): boolean => options.traffic?.isHeavy() ?? false;
  const follower = await followLog({
    ...{ ...options, mapping: queueNotices, topic, isBusy },
    personalTexts: null,
    mostRows: PREPARED_TOGETHER,
    ...(isOnlyWriter && { wakeHere: queues.offer.bind(queues) }),
  });
  const due = {
    ...{ stateStore, queues, worker, unpark: turns.lookAt },
    webhookTimeoutSeconds: settings.webhookTimeoutSeconds,
  };
  const takingUp = takeUpWaiting(options, queues, worker);
  return {
    follower,
    queues,
    jobs: [deliverNotices(due), purgeNotices(stateStore, settings.deliveryLogRetentionDays)],
    sendNow: async (notice) => {
      await turns.lookAt(notice);
      await queues.quiet(SENT_WITHIN_MILLISECONDS);
    },
    oldestDueSeconds: () => oldestDueSeconds(stateStore, clock.now()),
    abandoned: () => countNotices(stateStore, { status: 'Abandoned' }),
    settled: createSettled({
      ...{ stateStore, clock, follower, table: noticeTable },
      job: deliverNotices({ ...due, patienceMs: 100 }),
    }),
    stop: async () => {
      retrySoon.stop();
      await takingUp;
      await worker.stop();
      await follower.stop();
      await within(FINISH_WITHIN_MILLISECONDS, queues.stop());
      await attempts.release();
    },
  };
};

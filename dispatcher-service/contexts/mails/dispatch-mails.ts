import type { Logger } from 'pino';
import type { Clock } from '#kernel/clock.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import type { Feed } from '#log/feed.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { Leases } from '#runtime/leases.ts';
import type { Traffic } from '#runtime/traffic.ts';
import { followLog, type FollowLogOptions, type LogFollower } from '../../engine/follow-log.ts';
import type { IsBusy } from '#runtime/give-way.ts';
import { queueMails } from './queue-mails.ts';
import type { Overtaken } from './overtaken.ts';
import type { MailWriter } from './write-mail.ts';
import type { Bus } from '#ports/bus.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Mailer } from '#ports/mailer.ts';
import type { Job } from '#runtime/job-runner.ts';
import { declareMails } from '#runtime/mail-rows.ts';
import type { RecordedConfigurations } from '#mails/configurations.ts';
import { mailsOnBus } from '#mails/mail-delivery.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import { createDeliveryQueues } from '../../engine/create-delivery-queues.ts';
import type { DeliveryQueues } from '../../engine/delivery-queues.ts';
import { createSettled } from '../../engine/settled.ts';
import { within } from '../../engine/within.ts';
import { startWorker } from '../../engine/worker.ts';
import { adoptQueuedMails } from './adopt-queued-mails.ts';
import { createMailAttempts, type MailAttempts } from './attempt-mail.ts';
import { beginClaimed, beginHere } from './begin-attempt.ts';
import { createFirstAttempts } from './first-attempts.ts';
import { countMails, mailTable, oldestDueSeconds, recoverMails, untriedMails } from './mail-rows.ts';
import type { MailAttemptSettings } from './mail-steps.ts';
import { purgeMails } from './purge-mails.job.ts';
import { sendMails } from './send-mails.job.ts';

export interface MailDispatchOptions {
  readonly stateStore: DocumentStore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly mailer: Mailer;
  readonly store: EventStore;
  readonly codec: EventDecoder;
  readonly feed: Feed;
  readonly leases: Leases;
  readonly personalTexts: PersonalTexts;
  readonly writer: MailWriter;
  readonly overtaken: Overtaken;
  /** Opens what older releases had queued. */
  readonly olderCipher: Pick<TextCipher, 'open'>;
  /** Callers of this process come first. Default: it has none. */
  readonly traffic?: Pick<Traffic, 'isHeavy'>;
  /** The sender of every mail that names no other. */
  readonly from: string;
  readonly settings: MailAttemptSettings & { readonly deliveryLogRetentionDays: number };
  /** The process is the only one that can write the state store: what an earlier one was sending died with it. */
  readonly isOnlyWriter: boolean;
  /** How long `stop` lets attempts finish, in real time. Default 3,000. */
  readonly finishWithinMs?: number;
  readonly log: Pick<Logger, 'debug' | 'warn' | 'error'>;
}

/** Mails on their way: from their rows to the mail server. */
export interface MailDispatch {
  readonly follower: LogFollower;
  readonly queues: DeliveryQueues;
  readonly attempts: MailAttempts;
  readonly jobs: readonly Job[];
  /** How long the oldest mail has been due, in seconds of the shop's clock. Errors: `EngineUnavailable`. */
  oldestDueSeconds(): Promise<number>;
  /** How many mails failed that are still in the log of mails. Errors: `EngineUnavailable`. */
  failed(): Promise<number>;
  /** True once the position has been turned into mails and none is due or under way; false after `timeoutMs`. */
  settled(position: number, timeoutMs: number): Promise<boolean>;
  /** Lets attempts finish for a while, gives back the rest. */
  stop(): Promise<void>;
}

const GROUP = 'mail-workers';
const FINISH_WITHIN_MILLISECONDS = 3000;

const createQueues = (
  { stateStore, mailer, log }: MailDispatchOptions,
  attempts: MailAttempts,
): DeliveryQueues =>
  createDeliveryQueues({
    claim: attempts.claim,
    untried: (queue, limit) => untriedMails(stateStore, queue, limit),
    inFlightAtMost: mailer.atOnce,
    onError: (queue, error) => log.warn({ queue, err: error }, 'a mail could not be tried, its row waits'),
  });

/** What the follower may do where no other process takes mails from their rows. */
const aloneOf = (
  options: MailDispatchOptions,
  queues: DeliveryQueues,
  { isBusy, stopping }: { readonly isBusy: IsBusy; readonly stopping: AbortSignal },
): Pick<FollowLogOptions<RecordedConfigurations>, 'wakeHere' | 'prepare'> => {
  const { isOnlyWriter, mailer } = options;
  if (!isOnlyWriter) return {};
  const wakeHere = queues.offer.bind(queues);
  if (!mailer.isIdempotent) return { wakeHere };
  const hasWaiting = (): boolean => queues.figures().waiting > 0;
  const prepare = createFirstAttempts(options, { isBusy, hasWaiting, stopping, atOnce: mailer.atOnce });
  return { wakeHere, prepare };
};

/** Starts everything between the rows of mails and the server that takes them. */
export const dispatchMails = async (options: MailDispatchOptions): Promise<MailDispatch> => {
  const { stateStore, store, bus, clock, settings, isOnlyWriter, mailer, log } = options;
  const { topic, partitions } = mailsOnBus;
  await declareMails(stateStore, store);
  await bus.declareTopic(topic, partitions);
  if (isOnlyWriter) await recoverMails(stateStore, { status: 'Sending' }, clock.now());
  const isBusy = (): boolean => options.traffic?.isHeavy() ?? false;
  const stopping = new AbortController();
  const begin = mailer.isIdempotent && isOnlyWriter ? beginHere(stateStore) : beginClaimed(stateStore);
  const attempts = createMailAttempts(options, begin, isBusy);
  const queues = createQueues(options, attempts);
  const consumer = await startWorker({ bus, topic, group: GROUP, queues });
  const adopt = (): Promise<number> =>
    adoptQueuedMails({
      stateStore,
      cipher: options.olderCipher,
      seal: (text) => options.personalTexts.sealForShop(text),
      log,
    });
  // Before anything is queued: what an older release has sent is known by its row.
  await adopt();
  const follower = await followLog({
    ...{ ...options, ...aloneOf(options, queues, { isBusy, stopping: stopping.signal }) },
    ...{ mapping: queueMails, topic, isBusy },
  });
  const due = { stateStore, queues, adopt };
  const takingUp = sendMails(due)
    .runOnce(clock.now())
    .catch((err: unknown) => log.warn({ err }, 'waiting mails could not be taken up; the job finds them'));
  return {
    follower,
    queues,
    attempts,
    jobs: [sendMails(due), purgeMails(stateStore, settings.deliveryLogRetentionDays)],
    oldestDueSeconds: () => oldestDueSeconds(stateStore, clock.now()),
    failed: () => countMails(stateStore, { status: 'Failed' }),
    settled: createSettled({
      ...{ stateStore, clock, follower, table: mailTable },
      job: sendMails({ ...due, patienceMs: 100 }),
    }),
    stop: async () => {
      stopping.abort();
      await takingUp;
      await consumer.stop();
      await follower.stop();
      await within(options.finishWithinMs ?? FINISH_WITHIN_MILLISECONDS, queues.stop());
      await attempts.release();
      mailer.close();
    },
  };
};

import { isoInstant, type Clock } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { subjectsReached } from '#kernel/reached.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { Job } from '#runtime/job-runner.ts';
import { pause } from '#runtime/back-off.ts';
import { respondWithin } from '#runtime/request-deadline.ts';
import type { CommandMeta } from './command-engine.ts';
import { createRunMarks, type RunMark, type RunMarkOptions, type RunMarks } from './run-marks.ts';

/** An event as its provider names it. */
export interface CallbackName {
  readonly provider: string;
  readonly eventId: string;
  readonly eventType: string;
  /** As it came, or the beginning of it, where that is kept: sealed for those whom it turns out to be about. */
  readonly payload?: string;
}

/** An event reported by a provider; `processedAt` is null while it is being processed. */
interface Received extends RunMark, CallbackName {
  /** ISO instants. */
  readonly receivedAt: string;
  readonly processedAt: string | null;
  /** What came of it, in a word; null while nothing has. */
  readonly outcome: string | null;
  /** The shop's time, milliseconds. */
  readonly expiresAt: number;
}

/** What came of an event, now or when it came first. */
export interface Processed {
  readonly isRepeat: boolean;
  readonly outcome: string;
}

export interface ReceivedCallbacks {
  /**
   * Does the work of an event once. A copy of one that is being worked on waits for it; what fails or is killed is
   * done again by the next copy. Errors: what `work` throws, `callback-under-way`, `EngineUnavailable`.
   */
  once(name: CallbackName, work: () => Promise<string>, asked?: Asked): Promise<Processed>;
  /** Forgets events after 30 days. */
  readonly purge: Job;
}

/** The request by which it came. */
type Asked = Pick<CommandMeta, 'askedAt' | 'reached'>;

export interface ReceivedCallbacksOptions extends RunMarkOptions {
  readonly clock: Clock;
  readonly personalTexts: Pick<PersonalTexts, 'sealFor' | 'sealForShop'>;
  /** Where its rows are, and how long; default: with those of payments, for 30 days. */
  readonly kept?: { readonly collection: string; readonly days: number; readonly job: string };
}

const ofPayments = { collection: 'inbound_webhook_events', days: 30, job: 'purge-callbacks' };
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
/** So long a copy waits for the first, from its arrival. */
const WAIT_MILLISECONDS = 10_000;
const PURGED_TOGETHER = 1000;

const underWay = (): Rejection =>
  new Rejection('callback-under-way', 'This event is still being processed. Send it again in a moment.');

type Marks = RunMarks<Received>;
/** What this process works on, by the ids of its marks: who waits for it need not ask the store. */
type Running = ReadonlyMap<string, Promise<void>>;

/** The event as it was processed, or a mark of our own to work under. */
const claim = async (
  { stateStore, clock, personalTexts, kept = ofPayments, pollMs = 50 }: ReceivedCallbacksOptions,
  marks: Marks,
  running: Running,
  name: CallbackName,
  askedAt: number,
): Promise<Received> => {
  const { collection, days } = kept;
  const { payload } = name;
  const sealed = payload === undefined ? {} : { payload: personalTexts.sealForShop(payload) };
  const _id = derivedId('received-callback', name.provider, name.eventId);
  for (;;) {
    const now = clock.now();
    const mine: Received = {
      _id,
      ...name,
      ...sealed,
      receivedAt: isoInstant(now),
      processedAt: null,
      outcome: null,
      expiresAt: now + days * DAY_MILLISECONDS,
      ...marks.begin(),
    };
    if (await stateStore.insertIfAbsent(collection, mine)) return mine;
    const known = await stateStore.get<Received>(collection, _id);
    if (known?.processedAt) return known;
    const taken = known && (await marks.takeOver(known));
    if (taken) return taken;
    const left = askedAt + WAIT_MILLISECONDS - performance.now();
    if (left <= 0) throw underWay();
    const here = running.get(_id);
    await (here ? respondWithin(left, here, underWay) : pause(pollMs));
  }
};

/** Says what came of it; without an outcome its mark goes. */
const end = async (
  { stateStore, clock, log, personalTexts, kept: { collection } = ofPayments }: ReceivedCallbacksOptions,
  { _id, run }: Received,
  outcome: string | null,
  { payload }: CallbackName,
  subjects: readonly string[],
): Promise<void> => {
  if (outcome !== null) {
    const sealed = payload === undefined ? null : await personalTexts.sealFor(subjects, payload);
    const processedAt = isoInstant(clock.now());
    const set = { processedAt, outcome, ...(payload !== undefined && { payload: sealed }) };
    await stateStore.updateIf(collection, { _id, run }, { set });
    return;
  }
  // Should this fail, its lease lapses and the next copy takes it over.
  await stateStore.deleteMany(collection, { _id, run, processedAt: null }, 1).catch((err: unknown) => {
    log?.warn({ err }, 'the mark of a callback that failed was not removed');
  });
};

const purge = ({ stateStore, kept: { collection, job } = ofPayments }: ReceivedCallbacksOptions): Job => ({
  name: job,
  schedule: '41 4 * * *',
  runOnce: async (now) => {
    let removed = 0;
    for (let last = -1; last !== 0; removed += last)
      last = await stateStore.deleteMany(collection, { expiresAt: { lte: now } }, PURGED_TOGETHER);
    return { removed };
  },
});

/** Declares its collection; call it once at start (docs/rules/payment-callbacks.md#once). */
export const createReceivedCallbacks = async (
  options: ReceivedCallbacksOptions,
): Promise<ReceivedCallbacks> => {
  const { collection } = options.kept ?? ofPayments;
  await options.stateStore.declare(collection, [{ fields: ['expiresAt'] }]);
  const marks = createRunMarks<Received>(collection, { processedAt: null }, options);
  const running = new Map<string, Promise<void>>();
  return {
    once: async (name, work, { askedAt = performance.now(), reached = { position: 0 } } = {}) => {
      const mark = await claim(options, marks, running, name, askedAt);
      if (mark.processedAt !== null) return { isRepeat: true, outcome: mark.outcome ?? '' };
      const ended = Promise.withResolvers<void>();
      running.set(mark._id, ended.promise);
      const stopRenewing = marks.keepLease(mark);
      let outcome: string | null = null;
      try {
        outcome = await work();
        return { isRepeat: false, outcome };
      } finally {
        stopRenewing();
        try {
          await end(options, mark, outcome, name, subjectsReached(reached));
        } finally {
          running.delete(mark._id);
          ended.resolve();
        }
      }
    },
    purge: purge(options),
  };
};

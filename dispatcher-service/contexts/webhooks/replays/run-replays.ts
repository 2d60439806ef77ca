import type { Logger } from 'pino';
import { isoInstant } from '#kernel/clock.ts';
import type { LogProgress } from '#kernel/log-progress.ts';
import { CLOCKS_APART_MILLISECONDS } from '#log/kept-time-blocks.ts';
import { NoSuchPosition, EngineUnavailable } from '#ports/engine-errors.ts';
import type { WebhookReference } from '#reference/webhooks.reference.ts';
import { pause } from '#runtime/back-off.ts';
import { workWheneverHeld, type Leases } from '#runtime/leases.ts';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';
import type { IsBusy } from '#runtime/give-way.ts';
import { createWriteThrottle } from '../../../engine/write-throttle.ts';
import { findDeliveries, takeStep, waitingReplayed, type DeliveryRow } from '../delivery-rows.ts';
import { TooManyOpenHours } from '../rollup-state.ts';
import { UnreadableEvent, type TopicLog } from '../topic-log.ts';
import { queueStretch, type QueueStretchDeps } from './queue-stretch.ts';
import { openStatuses, replaysCollection, type Replay } from './replay.ts';
import { takeBack } from './replay-rows.ts';

export interface RunReplaysDeps extends Omit<QueueStretchDeps, 'rest' | 'signal'> {
  readonly leases: Leases;
  readonly webhooks: Pick<WebhookReference, 'subscription'>;
  readonly topicLog: Pick<TopicLog, 'after' | 'confirm'>;
  /** Keeps `webhooks` up to date. */
  readonly reference: Pick<LogProgress, 'waitFor'>;
  /** Turns the log into deliveries: what it has still to make is not missing. */
  readonly follower: Pick<LogProgress, 'waitFor'>;
  /** Has the worker of a subscription look for what was queued. */
  readonly announce: (subscriptionId: string) => Promise<void>;
  /** Whether something new is on its way to a receiver. */
  readonly isTelling: () => boolean;
  /** Counts outcomes that an earlier process has not counted: another attempt would hide them. */
  readonly recoverCounts: () => Promise<unknown>;
  /** Whether this process has callers who come first. Default: it has none. */
  readonly isBusy?: IsBusy;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** Replays at work, one process at a time. */
export interface ReplayRunner {
  /** There is something to do. */
  wake(): void;
  /** False when some is not over after `timeoutMs` of real time. */
  idle(timeoutMs: number): Promise<boolean>;
  stop(): Promise<void>;
}

const LEASE = 'webhook replays';
const LEASE_MILLISECONDS = 5000;
/** How soon a replay that another process was asked for begins. */
const LOOK_EVERY_MILLISECONDS = 2000;
/** How soon it is seen that everything has been sent, at first. */
const SENDING_LOOK_MILLISECONDS = 100;
const SLOWEST_LOOK_MILLISECONDS = 1000;
const IDLE_LOOK_MILLISECONDS = 20;
const FOLLOWED_WITHIN_MILLISECONDS = 1000;
/** One replay's turn, in events looked through; then the others have theirs. */
const EVENTS_IN_TURN = 2000;
/** Rows that are queued in a millisecond at most. */
const MOST_ROWS = 4;
/** After rows that took a while, for this share of it. */
const SHARE_OF_REST = 0.25;
/** For so long at most the next rows wait until what is new has been sent. */
const NEWS_MILLISECONDS = 15;
const LONGEST_REST_MILLISECONDS = 100;
const OPEN_AT_ONCE = 100;
const TAKEN_BACK_AT_ONCE = 100;
const REST_MILLISECONDS = 10;

type Turn = (replay: Replay, signal: AbortSignal) => Promise<'goes on' | 'waits'>;

const stillIs = ({ _id, status }: Replay) => ({ _id, status });

const overWith = (status: Replay['status'], now: number, more: object = {}) => ({
  set: { status, dateCompleted: isoInstant(now), runsFor: null, ...more },
});

/**
 * Rests after some rows, and then for as long as something new is about to be sent: it waits for no more than one such
 * write on its way.
 */
const createPace = (
  { isTelling }: Pick<RunReplaysDeps, 'isTelling'>,
  throttle: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
) => {
  let since = performance.now();
  return async (rows: number): Promise<void> => {
    const took = performance.now() - since;
    const restMs = Math.max(rows / MOST_ROWS - took, took * SHARE_OF_REST);
    if (rows > 0) {
      await pause(Math.min(restMs, LONGEST_REST_MILLISECONDS), signal);
      await throttle(signal);
    }
    const until = performance.now() + NEWS_MILLISECONDS;
    while (isTelling() && !signal.aborted && performance.now() < until) await pause(1, signal);
    since = performance.now();
  };
};

/** Looks through a stretch of the log and queues what is in it. */
const queueing = (deps: RunReplaysDeps): Turn => {
  const { stateStore, topicLog, webhooks, follower, announce, isBusy = () => false } = deps;
  const throttle = createWriteThrottle(isBusy);
  return async (replay, signal) => {
    const { subscriptionId, begin, end, topic } = replay;
    const subscription = webhooks.subscription(subscriptionId);
    if (!subscription) return 'waits';
    if (!(await follower.waitFor(end, FOLLOWED_WITHIN_MILLISECONDS))) return 'waits';
    if (replay.reached === begin) await deps.recoverCounts();
    const [from, to] = [Date.parse(replay.from), Date.parse(replay.to)];
    const rest = createPace(deps, throttle, signal);
    let current = replay;
    let looked = 0;
    const reach = async (reached: number, counts: { queued: number; skipped: number }, isEnd: boolean) => {
      const when = { ...stillIs(current), reached: current.reached };
      const set = { reached, ...(isEnd && { status: 'Sending' }) };
      return stateStore.updateIf<Replay>(replaysCollection, when, { set, increment: counts });
    };
    const audience = { id: subscriptionId, topic };
    for await (const { said, upTo, size, recordedUpTo } of topicLog.after(audience, replay.reached)) {
      const wanted = said.flat().filter(({ event }) => {
        const at = Date.parse(event.recordedAt);
        return at >= from && at <= to && event.position <= end;
      });
      const counts = await queueStretch({ ...deps, rest, signal }, replay, subscription, wanted);
      // Whoever goes on with it counts this stretch.
      if (signal.aborted) return 'goes on';
      const isEnd = upTo >= end || (recordedUpTo ?? 0) > to + CLOCKS_APART_MILLISECONDS;
      const reached = await reach(Math.min(upTo, end), counts, isEnd);
      if (counts.queued > 0) await announce(subscriptionId);
      if (!reached || isEnd) return 'goes on';
      current = reached;
      looked += size;
      if (looked >= EVENTS_IN_TURN) return 'goes on';
    }
    await reach(end, { queued: 0, skipped: 0 }, true);
    return 'goes on';
  };
};

/** Waits until everything that was queued has had its first attempt. */
const sending =
  ({ stateStore, clock, announce }: RunReplaysDeps): Turn =>
  async (replay) => {
    const { subscriptionId } = replay;
    const waiting = waitingReplayed(subscriptionId);
    for (const filter of [waiting, { ...waiting, status: 'Sending' }]) {
      const [row] = await findDeliveries(stateStore, { filter, limit: 1 });
      if (!row) continue;
      await announce(subscriptionId);
      return 'waits';
    }
    await stateStore.updateIf(replaysCollection, stillIs(replay), overWith('Completed', clock.now()));
    return 'goes on';
  };

/** False for a row that has been tried: it goes on with its schedule. */
const isTakenBack = async ({ stateStore }: RunReplaysDeps, row: DeliveryRow): Promise<boolean> => {
  if (row.attemptNumber > (row.attemptsBefore ?? 0)) return false;
  const step = takeBack(row);
  if (step) return (await takeStep(stateStore, step)) !== null;
  const untried = { _id: row._id, status: 'Pending', attemptNumber: 0, 'replay.id': row.replay?.id ?? '' };
  return (await stateStore.deleteMany(deliveriesCollection, untried, 1)) > 0;
};

/** Takes what has not been tried yet out of the queue: it is as it was before. */
const callingOff =
  (deps: RunReplaysDeps): Turn =>
  async (replay, signal) => {
    const { stateStore, clock } = deps;
    const filter = { ...waitingReplayed(replay.subscriptionId), 'replay.id': replay._id };
    let isAny = false;
    for (let skip = 0; !signal.aborted;) {
      const sort = [['position', 1]] as const;
      const rows = await findDeliveries(stateStore, { filter, sort, skip, limit: TAKEN_BACK_AT_ONCE });
      const taken = (await Promise.all(rows.map((row) => isTakenBack(deps, row)))).filter(Boolean).length;
      isAny ||= taken > 0;
      if (rows.length < TAKEN_BACK_AT_ONCE) break;
      skip += rows.length - taken;
      await pause(REST_MILLISECONDS, signal);
    }
    if (!isAny && !signal.aborted)
      await stateStore.updateIf(replaysCollection, stillIs(replay), overWith('Cancelled', clock.now()));
    return 'goes on';
  };

/** Why a subscription gets no more of a replay; null while it does. */
const objection = ({ webhooks }: RunReplaysDeps, { subscriptionId }: Replay): string | null => {
  const subscription = webhooks.subscription(subscriptionId);
  if (!subscription) return 'Subscription not found';
  return subscription.isActive ? null : 'The subscription is inactive';
};

const RESTORED = 'The log was restored to an older copy';

const whyFailed = (error: unknown): string => {
  if (error instanceof NoSuchPosition) return RESTORED;
  if (error instanceof UnreadableEvent) return 'An event cannot be read; the log of the dispatcher names it';
  return 'Stopped by an unexpected error; the log of the dispatcher describes it';
};

/** Whether the log is still the one that it began with. Once it was looked through, nothing depends on that. */
const isOfThisLog = async ({ topicLog }: RunReplaysDeps, replay: Replay): Promise<boolean> => {
  const { status, end: position, endEventId: eventId = null } = replay;
  return status !== 'Running' || (await topicLog.confirm({ position, eventId })) !== null;
};

const takingTurns = (deps: RunReplaysDeps): Turn => {
  const { stateStore, clock, log } = deps;
  const fail = async (replay: Replay, message: string): Promise<'goes on'> => {
    const patch = overWith('Failed', clock.now(), { message });
    await stateStore.updateIf(replaysCollection, stillIs(replay), patch);
    return 'goes on';
  };
  const turns = { Running: queueing(deps), Sending: sending(deps), Cancelling: callingOff(deps) };
  return async (replay, signal) => {
    const { status } = replay;
    if (status !== 'Running' && status !== 'Sending' && status !== 'Cancelling') return 'goes on';
    if (status !== 'Cancelling') {
      if (!(await isOfThisLog(deps, replay))) return fail(replay, RESTORED);
      // After a start it may not know yet that there is the subscription.
      if (!(await deps.reference.waitFor(replay.end, FOLLOWED_WITHIN_MILLISECONDS))) return 'waits';
    }
    const message = status === 'Cancelling' ? null : objection(deps, replay);
    if (message !== null) {
      const patch = { set: { status: 'Cancelling', message } };
      await stateStore.updateIf(replaysCollection, stillIs(replay), patch);
      return 'goes on';
    }
    try {
      return await turns[status](replay, signal);
    } catch (error) {
      // What it has queued of this stretch it finds again.
      if (error instanceof TooManyOpenHours) return 'waits';
      if (error instanceof EngineUnavailable) throw error;
      log.error({ replayId: replay._id, err: error }, 'a replay cannot go on');
      return fail(replay, whyFailed(error));
    }
  };
};

/** Ends early when it is woken, or was since the last rest. */
const createRest = () => {
  let isWoken = false;
  let end: () => void = () => undefined;
  return {
    wake: (): void => {
      isWoken = true;
      end();
    },
    rest: async (milliseconds: number, signal: AbortSignal): Promise<void> => {
      const woken = new Promise<void>((resolve) => (end = resolve));
      if (!isWoken) await Promise.race([woken, pause(milliseconds, signal)]);
      isWoken = false;
    },
  };
};

/** Takes up what was begun here or elsewhere, and what a kill has interrupted. Declare replays before. */
export const runReplays = (deps: RunReplaysDeps): ReplayRunner => {
  const { stateStore, leases, log } = deps;
  const stopping = new AbortController();
  const takeTurn = takingTurns(deps);
  const { wake, rest } = createRest();
  /** Those that only wait for their receivers come last, as their status does by name. */
  const openAfter = (skip: number): Promise<readonly Replay[]> =>
    stateStore.find<Replay>(replaysCollection, {
      filter: { status: { in: openStatuses } },
      sort: [['status', 1]],
      skip,
      limit: OPEN_AT_ONCE,
    });
  async function* allOpen(): AsyncGenerator<Replay> {
    for (let skip = 0; ; skip += OPEN_AT_ONCE) {
      const page = await openAfter(skip);
      yield* page;
      if (page.length < OPEN_AT_ONCE) return;
    }
  }
  const work = async (signal: AbortSignal): Promise<void> => {
    let pauseMs = LOOK_EVERY_MILLISECONDS;
    while (!signal.aborted) {
      let [isAny, isMore] = [false, false];
      for await (const replay of allOpen()) {
        if (signal.aborted) return;
        isAny = true;
        isMore = (await takeTurn(replay, signal)) === 'goes on' || isMore;
      }
      // Where a receiver is slow, it is asked less and less often.
      pauseMs =
        !isAny || isMore ? SENDING_LOOK_MILLISECONDS : Math.min(pauseMs * 2, SLOWEST_LOOK_MILLISECONDS);
      if (!isMore) await rest(isAny ? pauseMs : LOOK_EVERY_MILLISECONDS, signal);
    }
  };
  const working = workWheneverHeld({
    ...{ leases, name: LEASE, ownerId: LEASE, ttlMs: LEASE_MILLISECONDS, log, work },
    signal: stopping.signal,
  });
  return {
    wake,
    idle: async (timeoutMs) => {
      const deadline = performance.now() + timeoutMs;
      while ((await openAfter(0)).length > 0) {
        if (performance.now() >= deadline) return false;
        await pause(IDLE_LOOK_MILLISECONDS);
      }
      return true;
    },
    stop: async () => {
      stopping.abort();
      wake();
      await working;
    },
  };
};

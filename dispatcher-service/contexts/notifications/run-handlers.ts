import type { Logger } from 'pino';
import type { Recorded } from '#kernel/event.ts';
import type { Feed } from '#log/feed.ts';
import type { StoppedAt } from '#log/feed-follower.ts';
import { waitForPosition } from '#log/wait-for-position.ts';
import { markOf, type LogMark } from '#ports/event-store.ts';
import { resumeFromMark } from '#dispatcher/engine/resume-from-mark.ts';
import { pause } from '#runtime/back-off.ts';
import { frozenInput, type HookHandler } from '#runtime/hooks-file.ts';
import { workWheneverHeld, type Leases } from '#runtime/leases.ts';
import { notificationsOf, notificationsByType, changeDetails } from '#topics/event-notifications.ts';
import { idOf } from '#values/stream-name.ts';
import { HandlerMark, NAME, type MarkStore } from './handler-mark.ts';

export interface HandlerDeps {
  readonly handlers: readonly HookHandler[];
  readonly feed: Feed;
  readonly stateStore: MarkStore;
  readonly leases: Leases;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** The owner's handlers at work. */
export interface RunningHandlers {
  /** Where and why they wait: the log was restored. Null while they go on. */
  readonly stopped: StoppedAt | null;
  /** False after `timeoutMs` of real time; a position beyond the head counts as reached. */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
  /** Does not wait for the handler in hand: what it is not done with is told again after the next start. */
  stop(): Promise<void>;
}

const LEASE_MILLISECONDS = 5000;
/** A handler that takes longer is not waited for. */
const PATIENCE_MILLISECONDS = 30_000;

/**
 * Runs one, and waits for it; what it throws is logged and holds nothing up. False when the signal came before it was
 * done.
 */
const run = async (
  { name, notification, after }: HookHandler,
  event: Recorded,
  log: HandlerDeps['log'],
  signal: AbortSignal,
): Promise<boolean> => {
  const { position, recordedAt, stream, type } = event;
  const about = { handler: name, notification, position };
  const waiting = new AbortController();
  const failed = (error: unknown): void => log.error({ ...about, err: error }, 'a handler failed');
  try {
    const data = event.data as object;
    const beside = changeDetails(notification, event);
    const input = { ...data, ...beside, id: idOf(stream), event: type, position, at: recordedAt };
    const done = Promise.resolve(after(frozenInput(notification, input))).then(() => 'done');
    const patience = pause(PATIENCE_MILLISECONDS, AbortSignal.any([signal, waiting.signal]));
    if ((await Promise.race([done, patience])) === 'done') return true;
    done.catch(failed);
    if (signal.aborted) return false;
    log.warn(about, 'a handler takes too long: it is not waited for');
  } catch (error) {
    failed(error);
  } finally {
    waiting.abort();
  }
  return true;
};

const typesTold = (handlers: readonly HookHandler[]): ReadonlySet<string> =>
  new Set(
    [...notificationsByType].flatMap(([type, notifications]) =>
      handlers.some(({ notification }) => notifications.includes(notification)) ? [type] : [],
    ),
  );

/**
 * Follows the log under a lease and runs the owner's handlers, one after another in their order, each at least once
 * for an event: the position is kept after them, so that a crash runs some again (docs/guides/hooks.md#after). With
 * the first handlers of a shop it begins at the head of the log: they are not told the past.
 */
export const runHandlers = async (deps: HandlerDeps): Promise<RunningHandlers> => {
  const { handlers, feed, stateStore, leases, log } = deps;
  const kept = new HandlerMark(stateStore, log);
  const stopping = new AbortController();
  let waiting: StoppedAt | null = null;
  await kept.declare();
  const eventTypes = typesTold(handlers);
  /** False when the signal came first: the event is told again. */
  const tell = async (event: Recorded, signal: AbortSignal): Promise<boolean> => {
    const told = notificationsOf(event);
    const asked = handlers.filter(({ notification }) => told.includes(notification));
    for (const handler of asked) if (!(await run(handler, event, log, signal))) return false;
    kept.advance(markOf(event));
    if (asked.length > 0) await kept.save();
    return true;
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    const isTakenUp = await resumeFromMark({
      name: NAME,
      restore: () => kept.restore(feed),
      onWaiting: (at) => (waiting = at),
      log,
      signal,
    });
    if (!isTakenUp) return;
    const handle = async (events: readonly Recorded[], upTo: LogMark): Promise<void> => {
      for (const event of events) {
        if (signal.aborted) return;
        // A batch that comes again after a failure has been told in part.
        if (event.position <= kept.kept) continue;
        if (!(await tell(event, signal))) return;
      }
      kept.advance(upTo);
    };
    const following = feed.follow({ name: NAME, after: kept.reached, eventTypes, handle });
    // It may have come while the position was read.
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await following.leave();
    await kept.save();
  };
  const working = workWheneverHeld({
    leases,
    name: NAME,
    ownerId: NAME,
    ttlMs: LEASE_MILLISECONDS,
    log,
    signal: stopping.signal,
    work,
    whileWaiting: () => kept.look(),
  });
  return {
    get stopped() {
      return waiting;
    },
    waitFor: (position, timeoutMs) => waitForPosition(kept.mark, feed, position, timeoutMs),
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
};

import { setTimeout as sleep } from 'node:timers/promises';
import { NoSuchPosition } from '#ports/engine-errors.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import type { Connection } from './connection.ts';
import { portError } from './failures.ts';
import { Subscription } from './subscription.ts';

/** Hears once that a subscription was lost, and once that it is back. A `pino` logger fits. */
export interface EventStoreDbLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** How following went since the start. */
export interface FollowFigures {
  /** Subscriptions that the server ended as too slow. */
  tooSlow: number;
}

export interface FollowOptions {
  readonly figures: FollowFigures;
  readonly log?: EventStoreDbLog | undefined;
}

const FIRST_PAUSE_MILLISECONDS = 50;
const LONGEST_PAUSE_MILLISECONDS = 2000;

/**
 * Follows the log over as many subscriptions of the server as it takes. Each begins after the last event that was
 * yielded, never at a filter's checkpoint, which may lie beyond events that are still to come. Errors:
 * `NoSuchPosition`.
 */
export async function* followLog(
  connection: Connection,
  after: number,
  signal: AbortSignal,
  { figures, log }: FollowOptions,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const ending = AbortSignal.any([signal, connection.closing]);
  let last = after;
  let failures = 0;
  while (!ending.aborted) {
    const subscription = new Subscription(connection, last);
    const before = last;
    const onEnding = (): void => subscription.end('the follower has stopped');
    ending.addEventListener('abort', onEnding);
    try {
      for (;;) {
        const events = await subscription.next();
        if (events === undefined || ending.aborted) break;
        if (failures > 0) log?.info({ position: last }, 'the event log is followed again');
        failures = 0;
        const end = events.at(-1);
        if (end === undefined) continue;
        last = end.position;
        connection.lastSeen.saw(end);
        yield events;
      }
    } finally {
      ending.removeEventListener('abort', onEnding);
      onEnding();
    }
    if (subscription.wasTooSlow) {
      figures.tooSlow++;
      // It has come on, and what it missed is in the log: there is nothing to wait for.
      if (last > before) continue;
    }
    const problem = portError(subscription.reason, { from: last });
    if (problem instanceof NoSuchPosition && !ending.aborted) throw problem;
    if (failures === 0 && !ending.aborted) {
      log?.warn({ position: last, err: subscription.reason }, 'lost the event log, following it again');
    }
    await pause(failures++, ending);
  }
}

/** Doubles from 50 ms up to 2 s, with jitter so that many followers do not come back in step. */
const pause = async (failures: number, signal: AbortSignal): Promise<void> => {
  const longest = Math.min(LONGEST_PAUSE_MILLISECONDS, FIRST_PAUSE_MILLISECONDS * 2 ** failures);
  await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
};

import { pause } from './back-off.ts';

/** How much of some work may begin, so that callers of the same process hardly notice it. */
export interface Pace {
  /** Lets callers have their turn, then returns how many items may begin together: at least one. */
  next(): Promise<number>;
}

/** What a process reads of itself. */
export interface PaceReadings {
  /** Real time in milliseconds. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/** Where callers keep nothing waiting. */
const MOST_PER_SECOND = 1500;
const TURN_MILLISECONDS = 4;
/** One slice of the event loop, of some 0.1 ms each. */
const MOST_PER_TURN = 32;
/** A caller's request has several turns of the event loop: so late, it still gets its response in time. */
const LATE_MILLISECONDS = 20;
const LEAST_SHARE = 0.1;
/** The weight of the last turn, so that one long one alone slows nothing down. */
const WEIGHT = 0.2;

/**
 * The share of its full speed that work has in a process whose event loop is so late: never none. It falls with the
 * square: a longer turn is to hold less of it, or the work itself would keep turns long.
 */
export const shareAt = (lateMilliseconds: number): number =>
  Math.min(1, Math.max(LEAST_SHARE, (LATE_MILLISECONDS / Math.max(lateMilliseconds, 1)) ** 2));

/**
 * By how late the event loop comes to a timer: busy callers, engines that share the processor and garbage collection
 * all show there. Those who ask at the same time share what may begin. What fell behind meanwhile is not made up for.
 */
export const createPace = (
  { now, pause: wait }: PaceReadings = { now: () => performance.now(), pause },
): Pace => {
  let countedAt = now();
  let allowed = 0;
  let late = 0;
  let waiting = 0;
  return {
    next: async () => {
      const asked = now();
      waiting++;
      await wait(TURN_MILLISECONDS);
      const came = now();
      late += WEIGHT * (Math.max(0, came - asked - TURN_MILLISECONDS) - late);
      const perMillisecond = (MOST_PER_SECOND * shareAt(late)) / 1000;
      allowed = Math.min(MOST_PER_TURN, allowed + perMillisecond * (came - countedAt));
      countedAt = came;
      const count = Math.max(1, Math.floor(allowed / waiting));
      waiting--;
      allowed = Math.max(0, allowed - count);
      return count;
    },
  };
};

/** Jobs that run at the same time share it, as they share the event loop. */
export const paceOfProcess = createPace();

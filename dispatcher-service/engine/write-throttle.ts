import { pause } from '#runtime/back-off.ts';

/** Whether callers wait in this process for whom everything else should make room. */
export type IsBusy = () => boolean;

/** In heavy traffic so many rows are written at a time, and then nothing for a while: two hundred a second. */
export const ROWS_AT_A_TIME = 50;
const REST_MILLISECONDS = 250;
const LOOK_EVERY_MILLISECONDS = 25;

/**
 * Counts rows, and rests after so many of them for as long as somebody is in the way, but never longer than a moment:
 * deliveries fall behind a shop at its limit instead of slowing it down, and never stop.
 */
export const createWriteThrottle = (isBusy: IsBusy) => {
  let rows = 0;
  return async (more: number, signal: AbortSignal): Promise<void> => {
    rows += more;
    if (rows < ROWS_AT_A_TIME) return;
    rows = 0;
    const until = performance.now() + REST_MILLISECONDS;
    while (isBusy() && !signal.aborted && performance.now() < until) {
      await pause(LOOK_EVERY_MILLISECONDS, signal);
    }
  };
};

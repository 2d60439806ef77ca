import { giveWay, type IsBusy } from '#runtime/give-way.ts';

/** Under load this many rows are written at a time, followed by a rest: two hundred a second. */
export const ROWS_AT_A_TIME = 50;
const REST_MILLISECONDS = 250;

/**
 * Rests after a batch for as long as callers are busy, but never longer than a moment: deliveries fall behind a shop at
 * its limit instead of slowing it down, and never stop. What comes meanwhile shares the next write.
 */
export const createWriteThrottle =
  (isBusy: IsBusy) =>
  (signal: AbortSignal): Promise<void> =>
    giveWay(isBusy, REST_MILLISECONDS, signal);

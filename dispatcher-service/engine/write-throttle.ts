import { giveWay, type IsBusy } from './give-way.ts';

/** Under load this many rows are written at a time, followed by a rest: two hundred a second. */
export const ROWS_AT_A_TIME = 50;
const REST_MILLISECONDS = 250;

/**
 * Counts rows, and rests after this many for as long as callers are busy, but never longer than a moment: deliveries
 * fall behind a shop at its limit instead of slowing it down, and never stop.
 */
export const createWriteThrottle = (isBusy: IsBusy) => {
  let rows = 0;
  return async (more: number, signal: AbortSignal): Promise<void> => {
    rows += more;
    if (rows < ROWS_AT_A_TIME) return;
    rows = 0;
    await giveWay(isBusy, REST_MILLISECONDS, signal);
  };
};

import { pause } from '#runtime/back-off.ts';

/** Waits for the work, `milliseconds` of real time at most. */
export const within = async (milliseconds: number, work: Promise<unknown>): Promise<void> => {
  const over = new AbortController();
  await Promise.race([work, pause(milliseconds, over.signal)]);
  over.abort();
};

import { pause } from './back-off.ts';

/** Whether callers wait in this process for whom everything else should make room. */
export type IsBusy = () => boolean;

/** Traffic is measured no more often. */
const LOOK_EVERY_MILLISECONDS = 100;

/** Resolves once callers are not busy any more, or after `longestMilliseconds` of real time. */
export const giveWay = async (
  isBusy: IsBusy,
  longestMilliseconds: number,
  signal: AbortSignal,
): Promise<void> => {
  const until = performance.now() + longestMilliseconds;
  for (
    let left = longestMilliseconds;
    left > 0 && isBusy() && !signal.aborted;
    left = until - performance.now()
  )
    await pause(Math.min(LOOK_EVERY_MILLISECONDS, left), signal);
};

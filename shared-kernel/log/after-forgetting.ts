import type { Logger } from 'pino';
import type { LogProgress } from '#kernel/log-progress.ts';
import { BackOff, pause } from '#runtime/back-off.ts';
import type { ReferenceFollower } from './follow-reference.ts';
import type { ForgettingWatch } from './forgetting-watch.ts';

export interface AfterForgettingOptions {
  /** Names it where it is waited for. */
  readonly name: string;
  readonly forgetting: Pick<ForgettingWatch, 'onForgotten'>;
  /** Tells of what is forgotten. */
  readonly follower: Pick<ReferenceFollower, 'waitFor' | 'stopped'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Done again, also for those who were forgotten before; what it throws has it tried again. */
  readonly work: (stopping: AbortSignal) => Promise<void>;
}

export interface AfterForgetting {
  readonly followers: readonly LogProgress[];
  stop(): Promise<void>;
}

/** Has something done whenever somebody has been forgotten, once for all who are meanwhile. */
export const afterForgetting = ({
  name,
  forgetting,
  follower,
  log,
  work,
}: AfterForgettingOptions): AfterForgetting => {
  const stopping = new AbortController();
  let working: Promise<void> | null = null;
  let isWanted = false;

  const workWhileWanted = async (): Promise<void> => {
    const backOff = new BackOff();
    while (isWanted && !stopping.signal.aborted) {
      isWanted = false;
      try {
        await work(stopping.signal);
      } catch (err) {
        isWanted = true;
        log.warn({ err, name }, 'what follows from forgetting is not done yet, trying again');
        await backOff.wait(stopping.signal);
      }
    }
    working = null;
  };

  forgetting.onForgotten(({ isLast }) => {
    if (!isLast) return;
    isWanted = true;
    working ??= workWhileWanted();
  });

  const waitFor = async (position: number, timeoutMs: number): Promise<boolean> => {
    const deadline = performance.now() + timeoutMs;
    if (!(await follower.waitFor(position, timeoutMs))) return false;
    const waiting = new AbortController();
    const left = Math.max(0, deadline - performance.now());
    await Promise.race([working, pause(left, waiting.signal)]);
    waiting.abort();
    return working === null;
  };

  return {
    followers: [{ name, waitFor, stopped: () => follower.stopped() }],
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
};

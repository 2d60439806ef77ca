import type { Logger } from 'pino';
import type { LogProgress } from '#kernel/log-progress.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { BackOff, pause } from '#runtime/back-off.ts';
import type { ReferenceFollower } from './follow-reference.ts';
import type { ForgettingWatch } from './forgetting-watch.ts';

export interface AfterForgettingOptions {
  /** Names it where it is waited for, and where it is kept how far it is. */
  readonly name: string;
  readonly forgetting: Pick<ForgettingWatch, 'onForgotten' | 'last'>;
  /** Tells of what is forgotten. */
  readonly follower: Pick<ReferenceFollower, 'waitFor' | 'stopped'>;
  readonly stateStore: Pick<DocumentStore, 'declare' | 'get' | 'write'>;
  readonly log: Pick<Logger, 'warn'>;
  /**
   * Done again, also for those who were forgotten before; what it throws has it tried again. `last`: the position of
   * the last of them.
   */
  readonly work: (stopping: AbortSignal, last: number | null) => Promise<void>;
  /** It is done at each start, too, where anyone has ever been forgotten. */
  readonly isDoneAtStart?: boolean;
}

export interface AfterForgetting {
  readonly followers: readonly LogProgress[];
  stop(): Promise<void>;
}

/** What follows from forgetting, and up to which it has been done. */
interface FollowedUp extends Document {
  readonly position: number | null;
}

const collection = 'afterForgetting';

/**
 * Has something done whenever someone has been forgotten, once for all who are meanwhile. What a kill has kept from
 * being done, the next start does. Errors: `EngineUnavailable`.
 */
export const afterForgetting = async (options: AfterForgettingOptions): Promise<AfterForgetting> => {
  const { name, forgetting, follower, stateStore, log, work, isDoneAtStart = false } = options;
  await stateStore.declare(collection);
  const stopping = new AbortController();
  let done = (await stateStore.get<FollowedUp>(collection, name))?.position ?? null;
  if (isDoneAtStart) done = null;
  let working: Promise<void> | null = null;
  const isWanted = (): boolean => forgetting.last() !== done && !stopping.signal.aborted;

  const workWhileWanted = async (): Promise<void> => {
    const backOff = new BackOff();
    while (isWanted()) {
      const position = forgetting.last();
      try {
        await work(stopping.signal, position);
        // Cut short, it is done at the next start.
        if (stopping.signal.aborted) break;
        const put: FollowedUp = { _id: name, position };
        await stateStore.write([{ collection, put }]);
        done = position;
      } catch (err) {
        log.warn({ err, name }, 'what follows from forgetting is not done yet, trying again');
        await backOff.wait(stopping.signal);
      }
    }
    working = null;
  };
  const wake = (): void => {
    if (isWanted()) working ??= workWhileWanted();
  };
  forgetting.onForgotten(wake);
  wake();

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

import type { Logger } from 'pino';
import type { Feed } from '#log/feed.ts';
import type { ReferenceFollower } from '#log/follow-reference.ts';
import type { ForgettingWatch } from '#log/forgetting-watch.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { BackOff, pause } from '#runtime/back-off.ts';
import type { Contribution } from '../../shared-kernel/module.ts';
import type { ProjectionEngine } from './projection-engine.ts';

export interface EraseForgottenOptions {
  readonly forgetting: Pick<ForgettingWatch, 'onForgotten'>;
  readonly feed: Pick<Feed, 'head'>;
  /** Tells of what is forgotten. */
  readonly follower: Pick<ReferenceFollower, 'waitFor'>;
  readonly engine: Pick<ProjectionEngine, 'status' | 'waitFor' | 'write'>;
  readonly readStore: Pick<DocumentStore, 'erase'>;
  readonly stateStore: Pick<DocumentStore, 'erase'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** How long one look at a view takes at most; a view that stands still is looked at again. */
const LOOK_MILLISECONDS = 1000;

/**
 * Once somebody is forgotten and the views hold nothing of them any more, the files hold nothing of them either
 * (docs/rules/personal-data.md#files). A start after a kill folds in what was not: files need no second round.
 */
export const eraseForgotten = (options: EraseForgottenOptions): Contribution => {
  const { forgetting, feed, follower, engine, readStore, stateStore, log } = options;
  const stopping = new AbortController();
  let working: Promise<void> | null = null;
  let isWanted = false;

  const erase = async (): Promise<void> => {
    const head = await feed.head();
    for (const { name } of engine.status()) {
      while (!stopping.signal.aborted) {
        const { isReached } = await engine.waitFor(name, head, LOOK_MILLISECONDS);
        if (isReached) break;
      }
      await engine.write(name);
    }
    await stateStore.erase();
    await readStore.erase();
  };

  const work = async (): Promise<void> => {
    const backOff = new BackOff();
    while (isWanted && !stopping.signal.aborted) {
      isWanted = false;
      try {
        await erase();
      } catch (err) {
        isWanted = true;
        log.warn({ err }, 'what was forgotten is still in the files of the stores, trying again');
        await backOff.wait(stopping.signal);
      }
    }
    working = null;
  };

  forgetting.onForgotten(({ isLast }) => {
    if (!isLast) return;
    isWanted = true;
    working ??= work();
  });

  return {
    followers: [
      {
        name: 'files of the forgotten',
        waitFor: async (position, timeoutMs) => {
          const deadline = performance.now() + timeoutMs;
          if (!(await follower.waitFor(position, timeoutMs))) return false;
          const waiting = new AbortController();
          const left = Math.max(0, deadline - performance.now());
          await Promise.race([working, pause(left, waiting.signal)]);
          waiting.abort();
          return working === null;
        },
      },
    ],
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
};

import { Worker } from 'node:worker_threads';
import { PoisonedEvent } from '#log/feed-follower.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EngineChoices } from '#runtime/config-engines.ts';
import type { RebuildProgress } from './fill-views.ts';
import type { Filling, FillTask, FillWatch, Poisons, ViewFiller } from './view-filler.ts';

/** What the thread is started with: the engines that it opens, and the key to what is encrypted in the log. */
export interface FillThreadData {
  readonly engines: Pick<EngineChoices, 'events' | 'read' | 'state'>;
  readonly applicationKey: Uint8Array;
  readonly tasks: readonly FillTask[];
}

/** What the thread is told. */
export type FillOrder = { readonly giveUp: string } | 'stop' | 'someone was forgotten';

/** What it says; the last of these is how it ended. */
export type FillNews =
  | { readonly progress: RebuildProgress }
  | { readonly givenUp: string }
  | { readonly poisons: readonly (readonly [view: string, position: number, message: string])[] }
  | { readonly failed: string; readonly isUnavailable: boolean };

/**
 * What is read of the log is short-lived, and what is held of views is bounded: without limits the heap grows as far as
 * the machine lets it. A thread that hits its limit ends, and the next goes on from what was kept.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 160 };

/** How long a thread has to end what it is at. */
const STOP_MILLISECONDS = 2000;

export interface ThreadFiller extends ViewFiller {
  /** Threads look for every key again. */
  someoneWasForgotten(): void;
}

/** A thread for each pass, with connections of its own and at a lower priority than shopping. */
export const fillInThread = (entry: URL, data: Omit<FillThreadData, 'tasks'>): ThreadFiller => {
  const threads = new Set<Worker>();
  const tell = (thread: Worker, order: FillOrder): void => thread.postMessage(order);
  return {
    fill: (tasks, watch) => {
      const workerData: FillThreadData = { ...data, tasks };
      const thread = new Worker(entry, { workerData, resourceLimits });
      threads.add(thread);
      thread.on('exit', () => threads.delete(thread));
      return follow(thread, tell, watch);
    },
    someoneWasForgotten: () => {
      for (const thread of threads) tell(thread, 'someone was forgotten');
    },
  };
};

const follow = (
  thread: Worker,
  tell: (thread: Worker, order: FillOrder) => void,
  { onProgress, signal }: FillWatch,
): Filling => {
  const done = Promise.withResolvers<Poisons>();
  // Its caller, who gives it up, may be the only one who waits.
  done.promise.catch(() => undefined);
  const givingUp = new Map<string, PromiseWithResolvers<void>>();
  const stop = (): void => {
    tell(thread, 'stop');
    // What it is at may take long; it is as safe to end as by a kill.
    setTimeout(() => void thread.terminate(), STOP_MILLISECONDS).unref();
  };
  let lost: unknown = 'the thread that filled views has ended';
  let end: () => void = () => done.reject(new EngineUnavailable(String(lost)));
  const hear = (news: FillNews): void => {
    if ('progress' in news) onProgress(news.progress);
    else if ('givenUp' in news) givingUp.get(news.givenUp)?.resolve();
    else if ('poisons' in news) {
      const poisons = news.poisons.map(([view, ...poison]) => [view, new PoisonedEvent(...poison)] as const);
      end = () => done.resolve(new Map(poisons));
    } else {
      const { failed, isUnavailable } = news;
      end = () => done.reject(isUnavailable ? new EngineUnavailable(failed) : new Error(failed));
    }
  };
  thread.on('message', hear);
  thread.on('error', (error) => (lost = error));
  // Only now are its connections closed.
  thread.on('exit', () => {
    signal.removeEventListener('abort', stop);
    for (const one of givingUp.values()) one.resolve();
    if (signal.aborted) done.reject(signal.reason as Error);
    else end();
  });
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  return {
    done: done.promise,
    giveUp: (view) => {
      const given = givingUp.get(view) ?? Promise.withResolvers<void>();
      if (!givingUp.has(view)) {
        givingUp.set(view, given);
        tell(thread, { giveUp: view });
        if (thread.threadId === -1) given.resolve();
      }
      return given.promise;
    },
  };
};

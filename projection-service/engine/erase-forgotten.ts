import { afterForgetting, type AfterForgettingOptions } from '#log/after-forgetting.ts';
import type { Feed } from '#log/feed.ts';
import { pause } from '#runtime/back-off.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Contribution } from '../../shared-kernel/module.ts';
import type { ProjectionEngine } from './projection-engine.ts';

export interface EraseForgottenOptions extends Pick<
  AfterForgettingOptions,
  'forgetting' | 'follower' | 'log'
> {
  readonly feed: Pick<Feed, 'head'>;
  readonly engine: Pick<ProjectionEngine, 'status' | 'waitFor' | 'write' | 'rebuilds'>;
  readonly readStore: Pick<DocumentStore, 'erase'>;
  readonly stateStore: Pick<DocumentStore, 'erase'> & AfterForgettingOptions['stateStore'];
}

/** How long one look at a view takes at most; a view that stands still is looked at again. */
const LOOK_MILLISECONDS = 1000;

/** What is left of the forgotten in files that are too large to be rewritten at once. */
const rewriteStores = ({
  readStore,
  stateStore,
}: Record<'readStore' | 'stateStore', Pick<DocumentStore, 'erase'>>): Job => ({
  name: 'rewrite-stores',
  schedule: '47 3 * * *',
  runOnce: async () => {
    await stateStore.erase({ isRewrite: true });
    await readStore.erase({ isRewrite: true });
    return {};
  },
});

/**
 * Once someone is forgotten and the views hold nothing of them any more, the files hold nothing of them either
 * (docs/rules/personal-data.md#files).
 */
export const eraseForgotten = async (options: EraseForgottenOptions): Promise<Contribution> => {
  const { feed, engine, readStore, stateStore } = options;

  const whenViewsHave = async (position: number, stopping: AbortSignal): Promise<void> => {
    for (const { name } of engine.status()) {
      let isReached = false;
      while (!isReached && !stopping.aborted)
        ({ isReached } = await engine.waitFor(name, position, LOOK_MILLISECONDS));
      await engine.write(name);
    }
  };

  /** Generations that were begun before may hold what the log said in clear until they have caught up. */
  const whenRebuilt = async (stopping: AbortSignal): Promise<void> => {
    const underWay = async (): Promise<readonly string[]> =>
      [...(await engine.rebuilds())].flatMap(([name, { isDone, startedAt }]) =>
        isDone || startedAt === null ? [] : [`${name} ${startedAt}`],
      );
    const begun = new Set(await underWay());
    while (!stopping.aborted && (await underWay()).some((one) => begun.has(one)))
      await pause(LOOK_MILLISECONDS, stopping);
  };

  const after = await afterForgetting({
    ...options,
    name: 'files of the forgotten',
    work: async (stopping, last) => {
      await whenViewsHave(await feed.head(), stopping);
      await whenRebuilt(stopping);
      if (stopping.aborted) return;
      await stateStore.erase({ occasion: last });
      await readStore.erase({ occasion: last });
    },
  });
  return { ...after, jobs: [rewriteStores(options)] };
};

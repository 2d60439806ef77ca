import type { AnyProjection } from '#kernel/projection.ts';
import { memoryEngines, type EngineChoices } from '#runtime/config-engines.ts';
import type { Runtime } from '../shared-kernel/open-runtime.ts';
import { fillInThread } from './engine/rebuilds/fill-in-thread.ts';
import { fillApart, fillHere, type ViewFiller } from './engine/rebuilds/view-filler.ts';

export type ThreadEngines = Pick<EngineChoices, 'events' | 'read' | 'state'>;

/** Null where a thread cannot open the engines for itself. */
export const forThreads = ({ events, read, state }: EngineChoices = memoryEngines): ThreadEngines | null =>
  [events, read, state].some(({ kind }) => kind === 'memory') ? null : { events, read, state };

/** A log of so few events is read sooner than a thread has started. */
const SHORT_LOG = 2000;

/** Fills views in a thread, where one can and is worth it. `head`: of the log at the start. */
export const openFiller = (
  runtime: Runtime,
  engines: ThreadEngines | null,
  projections: readonly AnyProjection[],
  head: number,
): ViewFiller => {
  const { feed, store, applicationKey, forgetting } = runtime;
  const here = fillHere({ ...runtime, projections });
  if (!engines) return here;
  const inThread = fillInThread(new URL('./fill-thread.ts', import.meta.url), { engines, applicationKey });
  forgetting.onForgotten(() => inThread.someoneWasForgotten());
  // Positions of a server are no count of events.
  const isShort = (): boolean => store.isOnlyWriter && Math.max(head, feed.position) <= SHORT_LOG;
  return fillApart(inThread, here, isShort);
};

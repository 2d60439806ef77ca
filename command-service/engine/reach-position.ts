import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { Runtime } from '../../shared-kernel/open-runtime.ts';

const LOOK_MILLISECONDS = 1000;
const REACH_MILLISECONDS = 5000;

type Followed = Pick<Runtime, 'follower' | 'store'>;

/**
 * For what begins once reference state knows the log: resolves when it does, or stands still at an event, of which it
 * says so itself, or the signal aborts. Errors: `EngineUnavailable`.
 */
export const whenReady = async ({ follower, store }: Followed, signal?: AbortSignal): Promise<void> => {
  const head = await store.head();
  while (!(await follower.waitFor(head, LOOK_MILLISECONDS)))
    if (follower.stopped() || signal?.aborted) return;
};

/**
 * Resolves once reference state has reached a position of the log, that of its head as it is now where none is given.
 * Errors: `EngineUnavailable`.
 */
export const reach = async ({ follower, store }: Followed, position?: number): Promise<void> => {
  if (!(await follower.waitFor(position ?? (await store.head()), REACH_MILLISECONDS)))
    throw new EngineUnavailable('reference state does not keep up with the log');
};

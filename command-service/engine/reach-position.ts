import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { House } from '../../shared-kernel/house.ts';

/** The head of the log is reached long before; reference state says so itself when it is not. */
const READY_MILLISECONDS = 60_000;
const REACH_MILLISECONDS = 5000;

type Followed = Pick<House, 'follower' | 'store'>;

/** For what begins once reference state knows the log: resolves when it does, or does not for a whole minute. */
export const whenReady = async ({ follower, store }: Followed): Promise<void> => {
  await follower.waitFor(await store.head(), READY_MILLISECONDS);
};

/**
 * Resolves once reference state has reached a position of the log, that of its head as it is now where none is given.
 * Errors: `EngineUnavailable`.
 */
export const reach = async ({ follower, store }: Followed, position?: number): Promise<void> => {
  if (!(await follower.waitFor(position ?? (await store.head()), REACH_MILLISECONDS)))
    throw new EngineUnavailable('reference state does not keep up with the log');
};

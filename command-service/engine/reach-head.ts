import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { House } from '../../shared-kernel/house.ts';

/** The head of the log is reached long before; reference state says so itself when it is not. */
const READY_MILLISECONDS = 60_000;
const REACH_HEAD_MILLISECONDS = 5000;

type Followed = Pick<House, 'follower' | 'store'>;

const isAtHead = async ({ follower, store }: Followed, milliseconds: number): Promise<boolean> =>
  follower.waitFor(await store.head(), milliseconds);

/** For what begins once reference state knows the log: resolves when it does, or does not for a whole minute. */
export const whenReady = async (house: Followed): Promise<void> => {
  await isAtHead(house, READY_MILLISECONDS);
};

/** Resolves once reference state has reached the head of the log as it is now. Errors: `EngineUnavailable`. */
export const reachHead = async (house: Followed): Promise<void> => {
  if (!(await isAtHead(house, REACH_HEAD_MILLISECONDS)))
    throw new EngineUnavailable('reference state does not keep up with the log');
};

import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { ReferenceFollower } from './follow-reference.ts';
import { percentRead } from './share-read.ts';

type Followed = Pick<ReferenceFollower, 'catchingUp' | 'stopped'>;

/**
 * Why nothing can be decided on reference state: it has never been where the log was at the start, and has old prices,
 * or it stands still. Null: it follows.
 */
export const whyUnusable = (reference: Followed): string | null => {
  const stopped = reference.stopped();
  if (stopped) return `reference state stands still at position ${stopped.position}: ${stopped.message}`;
  const left = reference.catchingUp();
  return left && `reference state is catching up with the log: ${percentRead(left)} % read`;
};

/** For what must not rest on old knowledge, such as who was shut out. Errors: `EngineUnavailable`. */
export const refuseUnusable = (reference: Followed): void => {
  const why = whyUnusable(reference);
  if (why !== null) throw new EngineUnavailable(why);
};

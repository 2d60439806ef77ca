import type { LogProgress } from '#kernel/log-progress.ts';

const LOOK_MILLISECONDS = 1000;

/** Resolves once all of them have passed a position, however long that takes. Errors: `Error` when one stops. */
export const reachHead = async (followers: readonly LogProgress[], head: number): Promise<void> => {
  for (const follower of followers) {
    while (!(await follower.waitFor(head, LOOK_MILLISECONDS))) {
      const stopped = follower.stopped?.();
      if (stopped)
        throw new Error(`${follower.name} stopped at position ${stopped.position}: ${stopped.message}`);
    }
  }
};

import { percentRead } from '#log/share-read.ts';
import type { HealthCheck } from '#runtime/health.ts';
import type { ProjectionStatus } from './run-projection.ts';

export interface CatchUpOptions {
  readonly status: () => readonly ProjectionStatus[];
  /** Of the log, as it was at the start. */
  readonly head: number;
}

/**
 * A process that starts is not ready before every read model that serves has reached the log's head as it was then,
 * however long that takes: shoppers would see empty baskets. A read model that is rebuilt beside the one that serves is
 * not waited for.
 */
export const catchUpCheck = ({ status, head }: CatchUpOptions): HealthCheck => {
  let isCaughtUp = false;
  return {
    name: 'catching up',
    check: () => {
      if (isCaughtUp) return null;
      const late = status().filter(({ collection, checkpoint }) => collection !== null && checkpoint < head);
      isCaughtUp = late.length === 0;
      if (isCaughtUp) return null;
      const far = late.map(
        ({ name, checkpoint, lagSeconds }) =>
          `${name} is ${Math.ceil(lagSeconds)} seconds behind the log as it was at the start, ` +
          `${percentRead({ position: checkpoint, head })} % of it read`,
      );
      return far.join('; ');
    },
  };
};

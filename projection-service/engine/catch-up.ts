import type { HealthCheck } from '#runtime/health.ts';
import type { ProjectionStatus } from './run-projection.ts';

const LIMIT_MILLISECONDS = 60_000;

export interface CatchUpOptions {
  readonly status: () => readonly ProjectionStatus[];
  /** Of the log, as it was at the start. */
  readonly head: number;
  /** Real time in milliseconds. */
  readonly now?: () => number;
}

/**
 * A process that starts is not ready before every read model that serves has reached the log's head as it was then:
 * shoppers would see empty baskets. After 60 s it is ready all the same, with a warning that says how far behind it is.
 * A read model that does not serve yet, or is rebuilt beside the one that does, is not waited for here.
 */
export const catchUpCheck = ({
  status,
  head,
  now = () => performance.now(),
}: CatchUpOptions): HealthCheck => {
  const begun = now();
  let isCaughtUp = false;
  const behind = (): string | null => {
    if (isCaughtUp) return null;
    const late = status().filter(({ collection, checkpoint }) => collection !== null && checkpoint < head);
    isCaughtUp = late.length === 0;
    return isCaughtUp
      ? null
      : late
          .map(
            ({ name, lagSeconds }) =>
              `${name} is ${Math.ceil(lagSeconds)} seconds behind the log as it was at the start`,
          )
          .join('; ');
  };
  const isOver = (): boolean => now() - begun >= LIMIT_MILLISECONDS;
  return {
    name: 'catching up',
    check: () => (isOver() ? null : behind()),
    warning: () => (isOver() ? behind() : null),
  };
};

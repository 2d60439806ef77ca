import { stopwatch, workUnder, type Leases } from '#runtime/leases.ts';

/** Whether the work is still this process's alone. Asked before each step: after a long stall it may not be. */
export type IsHeld = () => boolean;

export interface AloneOptions {
  /**
   * For work that has just begun here, and of which the log keeps apart what two would do: others are kept away from it
   * only once it has taken so long. Default: from the beginning.
   */
  readonly leaseAfterMilliseconds?: number;
}

/** Does work that no other process does at the same time; null when one is at it. */
export type RunAlone = <Done>(
  name: string,
  work: (isHeld: IsHeld) => Promise<Done>,
  options?: AloneOptions,
) => Promise<Done | null>;

/** For a process that is alone anyhow. */
export const alone: RunAlone = (_, work) => work(() => true);

/** Longer than a process is ever held up: a driver finishes its instance. */
const LEASE_MILLISECONDS = 10_000;

const acquire = (leases: Leases, name: string) =>
  leases.acquire(name, 'driver', LEASE_MILLISECONDS, { isPassing: true });

/** Takes a lease beside the work once that drags on, and gives it back at the end. */
const workAhead = async <Done>(
  leases: Leases,
  name: string,
  work: (isHeld: IsHeld) => Promise<Done>,
  leaseAfterMilliseconds: number,
): Promise<Done> => {
  const sinceBegun = stopwatch();
  let isHeld: IsHeld = () => sinceBegun() < LEASE_MILLISECONDS;
  const ended = Promise.withResolvers<void>();
  const keepOthersAway = async (): Promise<void> => {
    const lease = await acquire(leases, name);
    if (!lease) isHeld = () => false;
    else
      await workUnder(lease, LEASE_MILLISECONDS, (_, isLeased) => {
        isHeld = isLeased;
        return ended.promise;
      });
  };
  let kept: Promise<void> | undefined;
  const timer = setTimeout(() => {
    // Where the leases are away, the time from the beginning is what counts.
    kept = keepOthersAway().catch(() => undefined);
  }, leaseAfterMilliseconds);
  try {
    return await work(() => isHeld());
  } finally {
    clearTimeout(timer);
    ended.resolve();
    await kept;
  }
};

/** Under a lease in the name of the work, which goes with it. Errors: `EngineUnavailable`. */
export const runUnderLease =
  (leases: Leases): RunAlone =>
  async (name, work, { leaseAfterMilliseconds } = {}) => {
    if (leaseAfterMilliseconds !== undefined) return workAhead(leases, name, work, leaseAfterMilliseconds);
    const lease = await acquire(leases, name);
    return lease && workUnder(lease, LEASE_MILLISECONDS, (_, isHeld) => work(isHeld));
  };

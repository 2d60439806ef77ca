import { workUnder, type Leases } from '#runtime/leases.ts';

/** Whether the work is still this process's alone. Asked before each step: after a long stall it may not be. */
export type IsHeld = () => boolean;

/** Does work that no other process does at the same time; null when one is at it. */
export type RunAlone = <Done>(name: string, work: (isHeld: IsHeld) => Promise<Done>) => Promise<Done | null>;

/** For a process that is alone anyhow. */
export const alone: RunAlone = (_, work) => work(() => true);

/** Longer than a process is ever held up: a driver finishes its instance. */
const LEASE_MILLISECONDS = 10_000;

/** Under a lease in the name of the work, which goes with it. Errors: `EngineUnavailable`. */
export const runUnderLease =
  (leases: Leases): RunAlone =>
  async (name, work) => {
    const lease = await leases.acquire(name, 'driver', LEASE_MILLISECONDS, { isPassing: true });
    return lease && workUnder(lease, LEASE_MILLISECONDS, (_, isHeld) => work(isHeld));
  };

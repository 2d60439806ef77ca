import { pause } from '#runtime/back-off.ts';
import { workUnder } from '#runtime/leases.ts';
import type { Runtime } from '../../shared-kernel/open-runtime.ts';

const LEASE_MILLISECONDS = 5000;

/** One replica after another: those that come later find the store open. */
export const withStartUpLock = async (
  { leases, store }: Runtime,
  work: () => Promise<void>,
): Promise<void> => {
  if (store.isOnlyWriter) return work();
  for (;;) {
    const lease = await leases.acquire('open-store', 'command', LEASE_MILLISECONDS);
    if (lease) return workUnder(lease, LEASE_MILLISECONDS, work);
    await pause(200);
  }
};

import type { Job } from '#runtime/job-runner.ts';
import type { ProductSyncActions } from './product-sync.actions.ts';
import type { SyncRuns } from './product-sync-runs.ts';

/** Takes up what a process left behind that went away. */
const goOn = ({ goOn: work }: Pick<ProductSyncActions, 'goOn'>): Job => ({
  name: 'product-sync',
  schedule: '*/10 * * * * *',
  runOnce: async () => ({ worked: await work() }),
});

const purge = (runs: Pick<SyncRuns, 'purge'>): Job => ({
  name: 'purge-product-sync',
  schedule: '43 3 * * *',
  runOnce: (now) => runs.purge(now),
});

export const productSyncJobs = (actions: ProductSyncActions, runs: SyncRuns): readonly Job[] => [
  goOn(actions),
  purge(runs),
];

import { setImmediate as nextTurn } from 'node:timers/promises';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { purgeFilter } from './delivery.ts';

const PAGE = 500;

/**
 * Deletes what the log of deliveries need not keep any longer (docs/rules/webhooks.md#log-of-deliveries), in slices.
 */
export const purgeDeliveries = (
  stateStore: DocumentStore,
  { deliveryLogRetentionDays }: { readonly deliveryLogRetentionDays: number },
): Job => ({
  name: 'purge-deliveries',
  schedule: '0 17 * * * *',
  runOnce: async (now) => {
    const filter = purgeFilter(now, deliveryLogRetentionDays);
    let purged = 0;
    for (;;) {
      const deleted = await stateStore.deleteMany(deliveriesCollection, filter, PAGE);
      purged += deleted;
      if (deleted < PAGE) return { purged };
      await nextTurn();
    }
  },
});

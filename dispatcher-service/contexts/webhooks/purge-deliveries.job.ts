import type { DocumentStore } from '#ports/document-store.ts';
import type { Job } from '#runtime/job-runner.ts';
import { purgeFilter } from '#topics/delivery-steps.ts';
import { deliveriesCollection } from '#topics/webhook-delivery.ts';
import { purgeRows } from '../../engine/purge-rows.ts';

/** Deletes what the log of deliveries need not keep any longer (docs/rules/webhooks.md#log-of-deliveries). */
export const purgeDeliveries = (
  stateStore: DocumentStore,
  { deliveryLogRetentionDays }: { readonly deliveryLogRetentionDays: number },
): Job => ({
  name: 'purge-deliveries',
  schedule: '0 17 * * * *',
  runOnce: async (now) => ({
    purged: await purgeRows(stateStore, deliveriesCollection, purgeFilter(now, deliveryLogRetentionDays)),
  }),
});

import type { DocumentStore } from '#ports/document-store.ts';
import type { Job } from '#runtime/job-runner.ts';
import { agentNoticesCollection } from '#topics/agent-notice.ts';
import { purgeFilter } from '#topics/delivery-steps.ts';
import { purgeRows } from '../../engine/purge-rows.ts';

/** Deletes notices that need not be kept any longer (docs/rules/agent-notices.md#kept). */
export const purgeNotices = (stateStore: DocumentStore, retentionDays: number): Job => ({
  name: 'purge-agent-notices',
  schedule: '41 4 * * *',
  runOnce: async (now) => ({
    purged: await purgeRows(stateStore, agentNoticesCollection, purgeFilter(now, retentionDays)),
  }),
});

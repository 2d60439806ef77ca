import type { DocumentStore } from '#ports/document-store.ts';
import { backofficeUsers } from '#runtime/backoffice-users.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { RecordChanges, UserRecord } from './user-changes.ts';

const AT_ONCE = 100;

/** Records what a kill, or a log that was away, has left unrecorded, and what was changed while no shop ran. */
export const recordUserChanges = (stateStore: Pick<DocumentStore, 'find'>, record: RecordChanges): Job => ({
  name: 'record-user-changes',
  schedule: '* * * * *',
  isUrgent: () => true,
  runOnce: async () => {
    const users = await stateStore.find<UserRecord>(backofficeUsers, {
      filter: { isUnrecorded: true },
      limit: AT_ONCE,
    });
    for (const user of users) await record(user);
    return { users: users.length };
  },
});

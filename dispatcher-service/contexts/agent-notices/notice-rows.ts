import type { IndexSpec } from '#kernel/projection.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { agentNoticesCollection as collection, type AgentNotice } from '#topics/agent-notice.ts';
import { requeue, type Transition } from '#topics/delivery-steps.ts';
import { withFailure } from '#topics/past-attempts.ts';
import { deliveryTable } from '../../engine/delivery-table.ts';

const indexes: readonly IndexSpec[] = [
  { fields: ['dueAt'] },
  { fields: ['queue', 'status', 'position'] },
  { fields: ['entityId', 'position'], including: ['status'] },
  { fields: ['invoiceId', 'dateCreated'] },
  { fields: ['status', 'dateCreated'] },
  { fields: ['dateCreated'] },
  { fields: ['subject'] },
];

/** Errors: `EngineUnavailable`. */
export const declareNotices = (stateStore: DocumentStore): Promise<void> =>
  stateStore.declare(collection, indexes);

/** What becomes of a notice whose attempt will not finish: it waits again. */
export const interruptNotice = (notice: AgentNotice, now: number): Transition => {
  const { when, patch } = requeue(notice, now);
  const unfinished = { responseStatusCode: null, durationMs: null, errorMessage: 'Interrupted' };
  return { when, patch: { set: { ...patch.set, attempts: withFailure(notice, unfinished) } } };
};

export const noticeTable = deliveryTable<AgentNotice>(collection, interruptNotice);

export const {
  get: getNotice,
  find: findNotices,
  count: countNotices,
  takeStep: takeNoticeStep,
  claim: claimNotice,
  recover: recoverNotices,
} = noticeTable;

/** Ids of a queue's notices that wait for their first attempt, in the order of the log. */
export const untriedNotices = async (
  stateStore: DocumentStore,
  queue: string,
  limit: number,
): Promise<readonly string[]> => {
  const filter: Filter = { queue, status: 'Pending' };
  const rows = await findNotices(stateStore, { filter, sort: [['position', 1]], limit });
  return rows.map(({ _id }) => _id);
};

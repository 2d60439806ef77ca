import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { agentNoticesCollection as collection, type AgentNotice } from '#topics/agent-notice.ts';
import { interrupt } from '#topics/http-attempt.ts';
import { deliveryTable } from '../../engine/delivery-table.ts';

export const noticeTable = deliveryTable<AgentNotice>(collection, interrupt);

export const {
  get: getNotice,
  find: findNotices,
  count: countNotices,
  takeStep: takeNoticeStep,
  claim: claimNotice,
  oldestDueSeconds,
  recover: recoverNotices,
} = noticeTable;

/** Ids of a queue's notices that await their first attempt, in the order of the log. */
export const untriedNotices = async (
  stateStore: DocumentStore,
  queue: string,
  limit: number,
): Promise<readonly string[]> => {
  const filter: Filter = { queue, status: 'Pending' };
  const rows = await findNotices(stateStore, { filter, sort: [['position', 1]], limit });
  return rows.map(({ _id }) => _id);
};

/** The earliest open notice of its order before it; null: its turn has come. */
export const earlierOpen = async (
  stateStore: DocumentStore,
  { entityId, position }: AgentNotice,
): Promise<AgentNotice | null> => {
  const filter: Filter = { entityId, isOpen: true, position: { lt: position } };
  return (await findNotices(stateStore, { filter, sort: [['position', 1]], limit: 1 }))[0] ?? null;
};

/** Later notices of its order that are parked. */
export const parkedAfter = (
  stateStore: DocumentStore,
  { entityId, position }: AgentNotice,
): Promise<readonly AgentNotice[]> =>
  findNotices(stateStore, { filter: { entityId, isOpen: true, queue: null, position: { gt: position } } });

/** Whether a row says that a notice of the same order is under way. */
export const isUnderWay = async (stateStore: DocumentStore, { entityId }: AgentNotice): Promise<boolean> =>
  (await countNotices(stateStore, { entityId, isOpen: true, status: 'Sending' })) > 0;

/** The earliest open notice of its order; null: there is none. */
export const nextOpen = async (
  stateStore: DocumentStore,
  { entityId }: AgentNotice,
): Promise<AgentNotice | null> => {
  const filter: Filter = { entityId, isOpen: true };
  return (await findNotices(stateStore, { filter, sort: [['position', 1]], limit: 1 }))[0] ?? null;
};

/** The queues with notices of a status. */
export const queuesWith = async (
  stateStore: DocumentStore,
  status: AgentNotice['status'],
): Promise<readonly string[]> => {
  const groups = await stateStore.countBy(collection, ['queue'], { status });
  return groups.flatMap(({ values: [queue] }) => (typeof queue === 'string' ? [queue] : []));
};

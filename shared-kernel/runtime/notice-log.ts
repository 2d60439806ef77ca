import type { IndexSpec } from '#kernel/projection.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import {
  agentNoticesCollection as collection,
  noticeDelaysSeconds,
  queuesOfReceiver,
  receiverOfQueue,
  type AgentNotice,
} from '#topics/agent-notice.ts';

const indexes: readonly IndexSpec[] = [
  { fields: ['dueAt'] },
  { fields: ['queue', 'status', 'position'] },
  { fields: ['queue', 'dueAt'] },
  { fields: ['entityId', 'isOpen', 'position'] },
  { fields: ['invoiceId', 'dateCreated'] },
  { fields: ['status', 'dateCreated'], including: ['queue'] },
  { fields: ['dateCreated'] },
  { fields: ['subject'] },
];

/** For every service that writes, sends or shows notices, as they start in any order. Errors: `EngineUnavailable`. */
export const declareNoticeLog = (stateStore: DocumentStore): Promise<void> =>
  stateStore.declare(collection, indexes);

/** Of an order, and after the last attempt: what a hook held back, say, tells nothing of a receiver. */
const givenUp: Filter = {
  status: 'Abandoned',
  attemptNumber: { gt: noticeDelaysSeconds.length },
  invoiceId: { exists: true },
};

/** Of a receiver. */
const newest = async (
  stateStore: DocumentStore,
  receiver: string,
  which: Filter,
): Promise<AgentNotice | undefined> => {
  const filter: Filter = { queue: { in: queuesOfReceiver(receiver) }, ...which };
  const found = await stateStore.find<AgentNotice>(collection, {
    filter,
    sort: [['position', -1]],
    limit: 1,
  });
  return found[0];
};

/**
 * For each receiver to which notices of orders were given up the last of them, or null where a later notice has arrived
 * since (docs/rules/agent-notices.md#receivers-that-fail). Errors: `EngineUnavailable`.
 */
export async function* failingReceivers(stateStore: DocumentStore): AsyncIterable<AgentNotice | null> {
  const groups = await stateStore.countBy(collection, ['queue'], givenUp);
  const queues = groups.flatMap(({ values: [queue] }) => (typeof queue === 'string' ? [queue] : []));
  for (const receiver of new Set(queues.map(receiverOfQueue))) {
    const [failed, arrived] = await Promise.all([
      newest(stateStore, receiver, givenUp),
      newest(stateStore, receiver, { status: 'Succeeded' }),
    ]);
    yield failed && (!arrived || arrived.position < failed.position) ? failed : null;
  }
}

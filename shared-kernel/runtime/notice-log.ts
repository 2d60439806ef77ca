import type { DocumentStore } from '#ports/document-store.ts';
import { agentNoticesCollection } from '#topics/agent-notice.ts';

/** For services that write or show notices and may start before the dispatcher. */
export const declareNoticeLog = (stateStore: DocumentStore): Promise<void> =>
  stateStore.declare(agentNoticesCollection, [{ fields: ['subject'] }]);

import type { AgentSessionEvent } from '#events/agent-session.events.ts';
import type { SourceType } from '#events/invoice.fields.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Document } from '#kernel/projection.ts';
import { agentNoticesCollection } from '#topics/agent-notice.ts';
import { idOf } from '#values/stream-name.ts';
import type { LogMapping } from '../../engine/follow-log.ts';
import { tellingEventTypes } from './order-notices.ts';

/** The name under which the follower keeps its position. */
export const AGENT_NOTICES = 'agent-notices';

/** An event that an agent may have to be told of. It stands in for its notice until that is written. */
export interface Candidate extends Document {
  readonly invoiceId: string;
  readonly position: number;
  readonly occurredAt: string;
}

/** Whether any agent has ever named an address: until then events of sales are skipped. */
interface Asked {
  readonly isAsked: boolean;
}

const sessionTypes = new Set<AgentSessionEvent['type']>([
  'AgentSessionStarted',
  'AgentSessionCompletionStarted',
]);

const asksToBeTold = ({ type, data }: AgentSessionEvent): boolean => {
  if (type === 'AgentSessionStarted') return data.orderWebhookUrl !== null;
  return type === 'AgentSessionCompletionStarted' && (data.webhooks?.orderWebhookUrl ?? null) !== null;
};

interface SaysSource {
  readonly content?: { readonly source: { readonly type: SourceType } };
  readonly sourceType?: SourceType;
}

/** These name the source of the sale unless it is the storefront. */
const namesSource: ReadonlySet<string> = new Set(['OrderStatusChanged', 'PaymentRefunded', 'RefundFailed']);

/** False where the event itself shows that no agent bought. */
const isPerhapsOfAgent = ({ type, data }: Recorded): boolean => {
  const { content, sourceType } = data as SaysSource;
  if (content) return content.source.type === 'ucp';
  return sourceType === 'ucp' || !namesSource.has(type);
};

/** Events that agents may have to be told of; `prepare` decides whether they are. */
export const queueNotices: LogMapping<Asked> = {
  name: AGENT_NOTICES,
  initial: { isAsked: false },
  eventTypes: ({ isAsked }) => (isAsked ? tellingEventTypes : sessionTypes),
  evolve: (state, event) =>
    !state.isAsked && asksToBeTold(event as Recorded<AgentSessionEvent>) ? { isAsked: true } : state,
  outgoing: (_, event) => {
    if (!tellingEventTypes.has(event.type) || !isPerhapsOfAgent(event)) return [];
    const { id: _id, stream, position, recordedAt: occurredAt } = event;
    const put: Candidate = { _id, invoiceId: idOf(stream), position, occurredAt };
    return [{ writes: [{ collection: agentNoticesCollection, put, position }], messages: [] }];
  },
};

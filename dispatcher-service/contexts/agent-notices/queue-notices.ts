import type { AgentSessionEvent } from '#events/agent-session.events.ts';
import type { SourceType } from '#events/invoice.fields.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Document } from '#kernel/projection.ts';
import { agentNoticesCollection } from '#topics/agent-notice.ts';
import { idOf } from '#values/stream-name.ts';
import type { LogMapping } from '../../engine/follow-log.ts';
import { tellingEventTypes } from './order-notices.ts';

/** Under which the follower keeps how far it has come. */
export const AGENT_NOTICES = 'agent-notices';

/** An event of which an agent may have to be told. It takes the place of its notice until that is written. */
export interface Candidate extends Document {
  readonly invoiceId: string;
  readonly position: number;
  readonly occurredAt: string;
}

/** Whether any agent has ever said where it wants to be told: until then nothing about sales is looked at. */
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

/** They name the source of the sale unless that is the storefront. */
const namesSource: ReadonlySet<string> = new Set(['OrderStatusChanged', 'PaymentRefunded', 'RefundFailed']);

/** False where the event itself says that no agent has bought. */
const isPerhapsOfAgent = ({ type, data }: Recorded): boolean => {
  const { content, sourceType } = data as SaysSource;
  if (content) return content.source.type === 'ucp';
  return sourceType === 'ucp' || !namesSource.has(type);
};

/** What agents may have to be told of; whether they are is seen when it is prepared. */
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

import type { Json } from '#agents/dialects.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';

type Told = Pick<AgentNotice, '_id' | 'eventType' | 'occurredAt'>;

/**
 * The body of a notice; `shown` is the order or session as the agent would read it (docs/rules/agent-notices.md#body).
 * The older version names the event beside the members of the order, and the order once more.
 */
export const noticeBody = ({ _id, eventType, occurredAt }: Told, dialect: string, shown: Json): string => {
  if (dialect !== '2026-01-11') return JSON.stringify(shown);
  const event = { event_id: _id, created_time: occurredAt, event_type: eventType };
  const isOrder = eventType.startsWith('order_');
  return JSON.stringify({ ...shown, ...event, ...(isOrder && { order: shown }) });
};

import type { Json } from '#agents/dialects.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';

type Told = Pick<AgentNotice, '_id' | 'eventType' | 'occurredAt'>;

/**
 * The body of a notice of an order; `order` is as the agent would read it (docs/rules/agent-notices.md#body). The older
 * version names the event beside its members, and the order once more.
 */
export const noticeBody = ({ _id, eventType, occurredAt }: Told, dialect: string, order: Json): string => {
  if (dialect !== '2026-01-11') return JSON.stringify(order);
  const event = { event_id: _id, created_time: occurredAt, event_type: eventType };
  return JSON.stringify({ ...order, ...event, order });
};

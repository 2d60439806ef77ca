import type { AgentSessionDocument } from '#agent-orders/agent-session.fold.ts';
import type { OrderDetail } from '#contracts/orders.contract.ts';
import type { ViewReader } from '../../engine/reader.ts';
import { agentSessionsProjection } from '../agent-protocol/sessions/agent-sessions.projection.ts';
import type { OrderDocument } from './order.document.ts';

/** Where an order came from; of an agent's, also which version of the protocol its session is in. */
export const orderSource = async (
  reader: Pick<ViewReader, 'get'>,
  { content }: Pick<OrderDocument, 'content'>,
): Promise<OrderDetail['source']> => {
  if (!content) return null;
  const { source } = content;
  const session =
    source.sessionId === null
      ? null
      : await reader.get<AgentSessionDocument>(agentSessionsProjection.name, source.sessionId);
  return { ...source, protocolVersion: session?.version ?? session?.dialect ?? null };
};

import type { AgentIdentity } from '#agents/agent-request.ts';
import type { AgentOrderDocument } from './agent-order.document.ts';
import type { AgentSessionDocument } from './agent-session.fold.ts';

/** An order with the session by which it was placed. */
export interface PlacedOrder {
  readonly order: AgentOrderDocument;
  readonly session: AgentSessionDocument;
}

/** What a signed request has bought is shown to signed requests of its profile only. */
export const isOrderOf = (
  { order, session }: PlacedOrder,
  { profileUri, isVerified }: AgentIdentity,
): boolean =>
  order.agent === profileUri && session.agent === profileUri && (isVerified || !session.isVerified);

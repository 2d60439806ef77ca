import type { AgentIdentity } from '#agents/agent-request.ts';
import type { AgentOrderDocument } from './agent-order.document.ts';
import type { AgentSessionDocument } from './agent-session.fold.ts';

/** An order with the session by which it was placed. */
export interface PlacedOrder {
  readonly order: AgentOrderDocument;
  readonly session: AgentSessionDocument;
  /** What led to it, as its session says; null also once the buyer is forgotten. */
  readonly attribution: Readonly<Record<string, unknown>> | null;
}

/** What a signed request has bought is shown to signed requests of its profile only. */
export const isOrderOf = (
  { order, session }: Pick<PlacedOrder, 'order' | 'session'>,
  { profileUri, isVerified }: AgentIdentity,
): boolean =>
  order.agent === profileUri && session.agent === profileUri && (isVerified || !session.isVerified);

/** Whether the member sees the order in their account, whichever agent bought it. */
export const isOrderOfMember = (
  { order: { content } }: Pick<PlacedOrder, 'order'>,
  { memberId, customerId }: { readonly memberId: string; readonly customerId: string | null },
): boolean => content.memberId === memberId || (customerId !== null && content.customerId === customerId);

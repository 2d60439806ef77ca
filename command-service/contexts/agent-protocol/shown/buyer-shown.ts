import type { ProtocolBuyer } from '#agents/protocol-parts.ts';
import type { AgentSession } from '../sessions/agent-session.state.ts';

/** The buyer as the agent named them, with their consents; null: it named none. */
export const buyerShown = ({
  buyer,
  consent,
}: Pick<AgentSession, 'buyer' | 'consent'>): ProtocolBuyer | null =>
  buyer === null && consent === null ? null : { ...buyer, ...(consent && { consent }) };

/** What the buyer is said to be eligible for. */
export const claimsOf = ({ context }: Pick<AgentSession, 'context'>): readonly string[] =>
  (context?.['eligibility'] as readonly string[] | undefined) ?? [];

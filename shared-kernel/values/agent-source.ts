/** Whose checkout it is that was bought. */
interface AgentCheckout {
  /** Address of the agent's profile. */
  readonly agent: string;
  readonly agentName: string | null;
  readonly sessionId: string;
}

/** Where the sale of an agent's checkout comes from. */
export const agentSource = ({ agent, agentName, sessionId }: AgentCheckout) => ({
  type: 'ucp' as const,
  displayName: agentName ?? agent,
  sourceName: 'UCP',
  sourceId: agent,
  sessionId,
});

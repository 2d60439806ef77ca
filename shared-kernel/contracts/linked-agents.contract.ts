import { z } from 'zod';

/** An agent that may buy for the member who asks (docs/rules/linked-members.md#ending). */
const linkedAgent = z.object({
  clientId: z.string(),
  name: z.string(),
  /** The address of the agent's profile. */
  profileUri: z.string(),
  scopes: z.array(z.string()),
  /** ISO instant of the oldest grant. */
  linkedAt: z.string(),
});
export type LinkedAgentRow = z.output<typeof linkedAgent>;

export const linkedAgentsResponse = z.array(linkedAgent);

export const linkedAgentParams = z.object({ clientId: z.string().min(1).max(250) });

export const unlinkedResponse = z.object({ success: z.literal(true), message: z.string() });

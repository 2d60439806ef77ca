import type { Streams } from '#command/engine/streams.ts';
import { Rejection } from '#kernel/rejection.ts';
import { completionOf, isSession, type AgentSession } from '../sessions/agent-session.state.ts';
import { agentSessions } from '../sessions/agent-session.stream.ts';

/** Errors: Rejection `checkout_not_modifiable` once another driver has ended the completion. */
export const sessionUnderWay = async (
  { streams }: { readonly streams: Pick<Streams, 'recall'> },
  sessionId: string,
  completionId: string,
): Promise<AgentSession> => {
  const { state } = await streams.recall(agentSessions, sessionId);
  if (isSession(state) && state.status === 'active' && completionOf(state)?.completionId === completionId)
    return state;
  throw new Rejection('checkout_not_modifiable', 'This checkout is not being completed any more.');
};

import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { SessionStatus } from '#agents/protocol-session.ts';
import { isBusy, type ActiveSession, type AgentSession } from './agent-session.state.ts';

const needsBuyer = new Set<ProtocolMessage['severity']>(['requires_buyer_input', 'requires_buyer_review']);

const statusOfActive = (
  session: ActiveSession,
  messages: readonly ProtocolMessage[],
  isComplete: boolean,
): SessionStatus => {
  if (isBusy(session)) return 'complete_in_progress';
  const errors = messages.filter(({ type }) => type === 'error');
  if (session.completion !== null || errors.some(({ severity }) => needsBuyer.has(severity)))
    return 'requires_escalation';
  return errors.length > 0 || !isComplete ? 'incomplete' : 'ready_for_complete';
};

/**
 * In the protocol's words. `isComplete`: nothing is missing that a message does not tell
 * (docs/rules/agent-sessions.md#status).
 */
export const statusOf = (
  session: AgentSession,
  messages: readonly ProtocolMessage[],
  isComplete: boolean,
): SessionStatus => {
  switch (session.status) {
    case 'completed':
      return 'completed';
    case 'cancelled':
    case 'expired':
      return 'canceled';
    case 'active':
      return statusOfActive(session, messages, isComplete);
  }
};

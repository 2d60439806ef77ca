import type { ProtocolAnswer, ProtocolRequest, ProtocolRequestFor } from '#agents/commerce-protocol.ts';
import type { CompletionInput, SessionInput } from '#agents/protocol-inputs.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';

type Answered = Promise<ProtocolAnswer<ProtocolSession>>;

/** How an agent checks out, for those who call without HTTP. Each request says which agent it is. */
export interface AgentCheckouts {
  readonly createSession: (request: ProtocolRequest<SessionInput>) => Answered;
  readonly updateSession: (request: ProtocolRequestFor<SessionInput>) => Answered;
  readonly completeSession: (request: ProtocolRequestFor<CompletionInput>) => Answered;
}

import type { ShopStream } from '#command/engine/streams.ts';
import type { AgentSessionEvent } from '#events/agent-session.events.ts';
import type { AgentSessionCommand } from './agent-session.commands.ts';
import { agentSessionDecider } from './agent-session.decider.ts';
import type { AgentSessionState } from './agent-session.state.ts';

export const agentSessions: ShopStream<AgentSessionState, AgentSessionCommand, AgentSessionEvent> = {
  decider: agentSessionDecider,
};

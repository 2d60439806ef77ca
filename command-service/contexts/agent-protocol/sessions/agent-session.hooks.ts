import { commandHooks } from '#command/engine/hooks.ts';
import type { AgentSessionCommand } from './agent-session.commands.ts';
import { isSession, type AgentSessionState } from './agent-session.state.ts';

/** What hooks are asked before a session changes (docs/guides/hooks.md#notifications). */
export const agentSessionHooks = commandHooks<AgentSessionState, AgentSessionCommand>('agentSession', {
  StartSession: ({ agent, lines, currency, changes }, state, sessionId) => {
    if (isSession(state)) return [];
    return ['ProtocolSessionCreatingNotification', { sessionId, agent, lines, currency, ...changes }];
  },
  UpdateSession: ({ changes }, state, sessionId) => {
    if (state.status !== 'active') return [];
    const { agent, basketId, lines, buyer } = state;
    return ['ProtocolSessionUpdatingNotification', { sessionId, agent, basketId, lines, buyer, changes }];
  },
  StartCompletion: ({ completionId, instrument }, state, sessionId) => {
    if (state.status !== 'active' || state.completion?.completionId === completionId) return [];
    const { agent, basketId, lines, buyer } = state;
    return [
      'ProtocolSessionCompletingNotification',
      { sessionId, agent, basketId, lines, buyer, instrument },
    ];
  },
});

import { commandHooks } from '#command/engine/hooks.ts';
import type { AgentCartCommand } from './agent-cart.commands.ts';
import type { AgentCartState } from './agent-cart.state.ts';

/** What hooks are asked before an agent begins a cart or replaces it (docs/guides/hooks.md#notifications). */
export const agentCartHooks = commandHooks<AgentCartState, AgentCartCommand>('agentCart', {
  StartCart: ({ agent, isVerified, content }, _, cartId) => [
    'ProtocolCartCreatingNotification',
    { cartId, agent, isVerified, ...content },
  ],
  ReplaceCart: ({ content }, state, cartId) => [
    'ProtocolCartUpdatingNotification',
    { cartId, agent: state.status === 'none' ? null : state.agent, ...content },
  ],
});

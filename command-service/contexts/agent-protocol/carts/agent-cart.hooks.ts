import { commandHooks } from '#command/engine/hooks.ts';
import type { AgentCartCommand } from './agent-cart.commands.ts';
import { isCart, type AgentCartState } from './agent-cart.state.ts';

/**
 * What hooks are asked before an agent begins a cart or replaces it (docs/guides/hooks.md#notifications); not where
 * that is a repeat, or refused anyway.
 */
export const agentCartHooks = commandHooks<AgentCartState, AgentCartCommand>('agentCart', {
  StartCart: ({ agent, isVerified, basketId, content }, state, cartId) =>
    isCart(state)
      ? []
      : ['ProtocolCartCreatingNotification', { cartId, basketId, agent, isVerified, ...content }],
  ReplaceCart: ({ content }, state, cartId) => {
    if (state.status !== 'active' || state.checkout !== null) return [];
    const { agent, isVerified, basketId } = state;
    return ['ProtocolCartUpdatingNotification', { cartId, basketId, agent, isVerified, ...content }];
  },
});

import type { ShopStream } from '#command/engine/streams.ts';
import type { AgentCartEvent } from '#events/agent-cart.events.ts';
import type { AgentCartCommand } from './agent-cart.commands.ts';
import { agentCartDecider } from './agent-cart.decider.ts';
import type { AgentCartState } from './agent-cart.state.ts';

export const agentCarts: ShopStream<AgentCartState, AgentCartCommand, AgentCartEvent> = {
  decider: agentCartDecider,
};

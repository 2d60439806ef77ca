import type { ShopStream } from '#command/engine/streams.ts';
import type { AgentOrderEvent } from '#events/agent-order.events.ts';
import type { AmendOrder } from './agent-order.commands.ts';
import { agentOrderDecider } from './agent-order.decider.ts';

export const agentOrders: ShopStream<Readonly<Record<string, never>>, AmendOrder, AgentOrderEvent> = {
  decider: agentOrderDecider,
};

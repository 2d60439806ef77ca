import { agentOrderEvents, type AgentOrderEvent } from '#events/agent-order.events.ts';
import type { Decider } from '#kernel/decider.ts';
import type { AmendOrder } from './agent-order.commands.ts';

const { AgentOrderAmended } = agentOrderEvents.create;

/** What tests say of orders: anything, and it is only recorded. */
export const agentOrderDecider: Decider<Readonly<Record<string, never>>, AmendOrder, AgentOrderEvent> = {
  category: 'agentOrder',
  initial: () => ({}),
  decide: (_, { events, adjustments, now }) =>
    events.length + adjustments.length === 0
      ? []
      : [AgentOrderAmended({ events: [...events], adjustments: [...adjustments], amendedAt: now })],
  on: { AgentOrderAmended: (state) => state },
  remembersCommands: true,
};

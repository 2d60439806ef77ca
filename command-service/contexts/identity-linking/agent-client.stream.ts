import type { ShopStream } from '#command/engine/streams.ts';
import type { AgentClientEvent } from '#events/agent-client.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { AgentClientCommand } from './agent-client.commands.ts';
import { agentClientsDecider, type AgentClientContext, type AgentClients } from './agent-client.decider.ts';

export const AGENT_CLIENTS = derivedId('agentClients');

export const agentClientsStream: ShopStream<
  AgentClients,
  AgentClientCommand,
  AgentClientEvent,
  AgentClientContext
> = {
  decider: agentClientsDecider,
  context:
    ({ clock }) =>
    () => ({ at: isoInstant(clock.now()) }),
};

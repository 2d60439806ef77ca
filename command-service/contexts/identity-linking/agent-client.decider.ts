import { agentClientEvents, type AgentClientEvent } from '#events/agent-client.events.ts';
import { decideBy, type Decider, type Rules } from '#kernel/decider.ts';
import type { AgentClientCommand } from './agent-client.commands.ts';

export interface AgentClientContext {
  /** ISO instant. */
  readonly at: string;
}

/** Those that were disabled at some time. */
export interface AgentClients {
  readonly [clientId: string]: { readonly timesDisabled: number; readonly isDisabled: boolean };
}

const { AgentClientDisabled, AgentClientEnabled } = agentClientEvents.create;

const never = { timesDisabled: 0, isDisabled: false };

export const clientIn = (clients: AgentClients, clientId: string): AgentClients[string] =>
  (Object.hasOwn(clients, clientId) ? clients[clientId] : undefined) ?? never;

const rules: Rules<AgentClients, AgentClientCommand, AgentClientEvent, AgentClientContext> = {
  DisableAgentClient: (clients, { clientId, reason }, { at }) =>
    clientIn(clients, clientId).isDisabled ? [] : [AgentClientDisabled({ clientId, reason, at })],
  EnableAgentClient: (clients, { clientId, reason }, { at }) =>
    clientIn(clients, clientId).isDisabled ? [AgentClientEnabled({ clientId, reason, at })] : [],
};

/** Which agents may not act for members, all in one stream (docs/rules/identity-linking.md#disabling). */
export const agentClientsDecider: Decider<
  AgentClients,
  AgentClientCommand,
  AgentClientEvent,
  AgentClientContext
> = {
  category: 'agentClients',
  initial: () => ({}),
  decide: decideBy(rules),
  on: {
    AgentClientDisabled: (clients, { data: { clientId } }) => {
      const timesDisabled = clientIn(clients, clientId).timesDisabled + 1;
      return { ...clients, [clientId]: { timesDisabled, isDisabled: true } };
    },
    AgentClientEnabled: (clients, { data: { clientId } }) => ({
      ...clients,
      [clientId]: { ...clientIn(clients, clientId), isDisabled: false },
    }),
  },
  remembersCommands: { last: 100 },
};

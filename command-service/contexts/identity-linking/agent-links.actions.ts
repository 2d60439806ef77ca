import type { RegisteredClient } from '#agents/oauth-clients.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { Streams } from '#command/engine/streams.ts';
import type { AgentClientReference } from '#reference/reference.ts';
import { clientIn } from './agent-client.decider.ts';
import { AGENT_CLIENTS, agentClientsStream } from './agent-client.stream.ts';
import type { AgentLinksApi } from './agent-link.commands.ts';
import { grantIn } from './agent-link.state.ts';
import { agentLinkStream } from './agent-link.stream.ts';

export interface AgentLinkDeps {
  readonly streams: Streams;
  readonly clients: readonly Pick<RegisteredClient, 'clientId' | 'name'>[];
  readonly standings: AgentClientReference;
}

/** What members do with the agents that they have linked (docs/rules/identity-linking.md#grants). */
export const createAgentLinks = ({ streams, clients, standings }: AgentLinkDeps): AgentLinksApi => ({
  ofMember: async (memberId) => {
    const { grants } = (await streams.load(agentLinkStream, memberId)).state;
    const names = new Map(clients.map(({ clientId, name }) => [clientId, name]));
    return grants
      .filter(({ clientId, timesDisabled }) => standings.of(clientId).timesDisabled === timesDisabled)
      .toReversed()
      .map((grant) => ({ ...grant, name: names.get(grant.clientId) ?? grant.clientId }));
  },
  isLinked: async (memberId, grantId) => {
    const grant = grantIn((await streams.load(agentLinkStream, memberId)).state, grantId);
    if (!grant || !clients.some(({ clientId }) => clientId === grant.clientId)) return false;
    const known = (await streams.load(agentClientsStream, AGENT_CLIENTS)).state;
    return clientIn(known, grant.clientId).timesDisabled === grant.timesDisabled;
  },
  unlink: async (memberId, clientId, meta) => {
    const command = { type: 'UnlinkAgent', clientId } as const;
    const { events } = await streams.send(agentLinkStream, memberId, command, stepMeta(meta));
    return events.length > 0;
  },
  unlinkAll: async (memberId, meta) =>
    void (await streams.send(agentLinkStream, memberId, { type: 'UnlinkAllAgents' }, stepMeta(meta))),
  close: async (memberId, meta) =>
    void (await streams.send(agentLinkStream, memberId, { type: 'CloseAgentLinks' }, stepMeta(meta))),
});

import { stepMeta } from '#command/engine/command-meta.ts';
import type { Streams } from '#command/engine/streams.ts';
import type { AgentLinksApi } from './agent-link.commands.ts';
import { grantIn } from './agent-link.state.ts';
import { agentLinkStream } from './agent-link.stream.ts';

export interface AgentLinkDeps {
  readonly streams: Streams;
  /** Of a registered client. */
  readonly nameOf: (clientId: string) => string | undefined;
}

/** What members do with the agents that they have linked (docs/rules/identity-linking.md#grants). */
export const createAgentLinks = ({ streams, nameOf }: AgentLinkDeps): AgentLinksApi => ({
  ofMember: async (memberId) => {
    const { grants } = (await streams.load(agentLinkStream, memberId)).state;
    return grants.toReversed().map((grant) => ({ ...grant, name: nameOf(grant.clientId) ?? grant.clientId }));
  },
  isLinked: async (memberId, grantId) => {
    const grant = grantIn((await streams.load(agentLinkStream, memberId)).state, grantId);
    return grant !== undefined && nameOf(grant.clientId) !== undefined;
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

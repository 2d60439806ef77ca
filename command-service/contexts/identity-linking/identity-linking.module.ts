import type { CommandModule } from '#command/engine/module.ts';
import { createAgentLinks } from './agent-links.actions.ts';

/** Agents who act for members (docs/rules/identity-linking.md). */
export const identityLinking: CommandModule = {
  name: 'identity-linking',
  create: ({ streams, config }) => {
    const { clients } = config.protocol.ucp.oAuth;
    const nameOf = (id: string) => clients.find(({ clientId }) => clientId === id)?.name;
    return { actions: { agentLinks: createAgentLinks({ streams, nameOf }) } };
  },
};

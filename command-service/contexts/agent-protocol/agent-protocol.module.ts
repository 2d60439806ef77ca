import type { CommandModule } from '#command/engine/module.ts';
import { createManifests } from './discovery/manifests.ts';
import { discoveryRoutes } from './discovery/discovery.routes.ts';
import { ensureSigningKey } from './signing-keys/first-signing-key.ts';

/** How agents buy (docs/rules/agents.md). */
export const agentProtocol: CommandModule = {
  name: 'agent-protocol',
  create: (deps) => ({
    routes: discoveryRoutes(createManifests(deps), deps.config.protocol),
    prepare: () => ensureSigningKey(deps),
  }),
};

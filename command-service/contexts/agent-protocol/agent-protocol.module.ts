import type { CommandModule } from '#command/engine/module.ts';
import { ensureSigningKey } from './signing-keys/first-signing-key.ts';

/** How agents buy (docs/rules/agents.md). */
export const agentProtocol: CommandModule = {
  name: 'agent-protocol',
  create: (deps) => ({ prepare: () => ensureSigningKey(deps) }),
};

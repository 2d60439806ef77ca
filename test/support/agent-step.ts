import { createAgentStep, type AgentStep, type AgentStepOptions } from '#http/agent-step.ts';
import { loadConfig } from '#runtime/config.ts';

/** The step on agent paths of a shop with these settings, by their names in the environment. */
export const agentStepWith = (
  environment: Readonly<Record<string, string>> = {},
  options: Partial<AgentStepOptions> = {},
): AgentStep =>
  createAgentStep({
    protocol: protocolWith(environment),
    askHooks: () => undefined,
    trustedProxies: 0,
    websiteUrl: () => null,
    now: () => Date.UTC(2026, 0, 1),
    ...options,
  });

export const protocolWith = (
  environment: Readonly<Record<string, string>> = {},
): AgentStepOptions['protocol'] => loadConfig({ env: { DATA_DIR: '/nowhere', ...environment } }).protocol;

import type { PublicKey } from './agent-profile.ts';
import { capability, offeredCapabilities, type CapabilitySettings } from './capabilities.ts';
import { mainDialect } from './dialect-choice.ts';
import { testAgentForms } from './manifest.ts';

/** An agent of the shop's own, for those who try things out (docs/rules/agents.md#test-agents). */
export interface TestAgentFacts {
  readonly baseUrl: string;
  readonly settings: CapabilitySettings & { readonly version: string; readonly schemaBaseUrl: string };
  readonly signingKeys: readonly PublicKey[];
}

export const TEST_AGENTS = '/.well-known/ucp-test-agent/';

/** 1 to 64 letters, digits, dots, underscores and hyphens. */
export const isTestAgentId = (id: string): boolean => /^[A-Za-z0-9._-]{1,64}$/.test(id);

/** The JSON text of its profile: it can do all that the shop can, in the shop's own version. */
export const testAgentProfile = (id: string, { baseUrl, settings, signingKeys }: TestAgentFacts): string => {
  const { version, schemaBaseUrl } = settings;
  const dialect = mainDialect(version);
  const capabilities = offeredCapabilities(settings, dialect).map((one) =>
    one.name === capability.order
      ? { ...one, config: { webhook_url: `${baseUrl}/testing/agents/${id}/webhooks/orders` } }
      : one,
  );
  const agent = { name: `Test agent ${id}`, baseUrl, capabilities, signingKeys };
  return JSON.stringify(testAgentForms[dialect](agent, { version, schemaBaseUrl }));
};

import { LRUCache } from 'lru-cache';
import type { AgentProfile, PublicKey } from '#agents/agent-profile.ts';
import { readProfile } from '#agents/read-profile.ts';
import { isTestAgentId, TEST_AGENTS, testAgentProfile, type TestAgentFacts } from '#agents/test-agent.ts';

export interface OwnAgentsOptions {
  readonly settings: TestAgentFacts['settings'] & { readonly testAgentEnabled: boolean };
  /** Another list whenever there is another key. */
  readonly signingKeys: () => readonly PublicKey[];
}

const MOST_AGENTS = 100;

/** The shop's test agents by their addresses; null: there is none (docs/rules/agents.md#test-agents). */
export const createOwnAgents = ({ settings, signingKeys }: OwnAgentsOptions) => {
  const known = new LRUCache<string, AgentProfile>({ max: MOST_AGENTS });
  let keys: readonly PublicKey[] = [];
  return (uri: string, baseUrl: string): AgentProfile | null => {
    const beginning = baseUrl + TEST_AGENTS;
    if (!settings.testAgentEnabled || !uri.startsWith(beginning)) return null;
    if (keys !== signingKeys()) known.clear();
    keys = signingKeys();
    const kept = known.get(uri);
    if (kept) return kept;
    const id = uri.slice(beginning.length);
    if (!isTestAgentId(id)) return null;
    const read = readProfile(uri, testAgentProfile(id, { baseUrl, settings, signingKeys: keys }));
    if (read.kind === 'malformed') throw new TypeError(`the profile of test agent ${id}: ${read.problem}`);
    known.set(uri, read.profile);
    return read.profile;
  };
};

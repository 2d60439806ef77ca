import type { AgentCapability, AgentProfile, PublicKey } from './agent-profile.ts';

/** A profile, or what is wrong with its document in words. */
export type ReadProfile =
  | { readonly kind: 'profile'; readonly profile: AgentProfile }
  | { readonly kind: 'malformed'; readonly problem: string };

class Malformed extends Error {
  override readonly name = 'Malformed';
}

type Members = Readonly<Record<string, unknown>>;

const mapAt = (value: unknown, path: string): Members => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new Malformed(`${path}: must be an object`);
};

/** Profiles of strangers are kept in memory, where an entry takes ten times the bytes that it had. */
const MOST_ENTRIES = 100;

const fewOf = <Entry>(entries: readonly Entry[], path: string): readonly Entry[] => {
  if (entries.length <= MOST_ENTRIES) return entries;
  throw new Malformed(`${path}: must have ${MOST_ENTRIES} entries or less`);
};

const listAt = (value: unknown, path: string): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  throw new Malformed(`${path}: must be an array`);
};

const textAt = (value: unknown, path: string): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw new Malformed(`${path}: must be a text`);
};

const textOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === 'string' && value !== '' ? value : other;

/** Of what a capability is configured with, that which the shop reads. */
const configAt = (value: unknown, path: string): AgentCapability['config'] => {
  if (value === undefined) return {};
  const { webhook_url: webhookUrl, supports_multi_group: isMultiGroup } = mapAt(value, path);
  return {
    ...(typeof webhookUrl === 'string' && { webhook_url: webhookUrl }),
    ...(typeof isMultiGroup === 'boolean' && { supports_multi_group: isMultiGroup }),
  };
};

const capabilityAt = (value: unknown, path: string, named?: string): AgentCapability => {
  const entry = mapAt(value, path);
  return {
    name: named ?? textAt(entry['name'], `${path}.name`),
    version: textOr(entry['version'], null),
    config: configAt(entry['config'], `${path}.config`),
  };
};

/** A list whose entries name themselves, or a map of lists by name. */
const capabilitiesAt = (value: unknown): readonly AgentCapability[] => {
  const path = 'ucp.capabilities';
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.map((one, index) => capabilityAt(one, `${path}[${index}]`));
  return Object.entries(mapAt(value, path)).flatMap(([name, entries]) =>
    listAt(entries, `${path}.${name}`).map((one, index) =>
      capabilityAt(one, `${path}.${name}[${index}]`, name),
    ),
  );
};

const keyMembers = ['crv', 'x', 'y', 'use', 'alg'] as const;

/** Throws where it has no id or no kind; what else it says counts where it is text. */
export const readKey = (value: unknown, path: string): PublicKey => {
  const key = mapAt(value, path);
  const others = keyMembers.filter((name) => typeof key[name] === 'string').map((name) => [name, key[name]]);
  return {
    ...(Object.fromEntries(others) as Pick<PublicKey, (typeof keyMembers)[number]>),
    kid: textAt(key['kid'], `${path}.kid`),
    kty: textAt(key['kty'], `${path}.kty`),
  };
};

const keysOf = (document: Members, ucp: Members): readonly PublicKey[] => {
  const path = document['signing_keys'] === undefined ? 'ucp.signing_keys' : 'signing_keys';
  const keys = document['signing_keys'] ?? ucp['signing_keys'] ?? [];
  return fewOf(listAt(keys, path), path).map((key, index) => readKey(key, `${path}[${index}]`));
};

/** It stands in every sale of the agent. */
const LONGEST_NAME = 250;

const profileOf = (uri: string, document: Members): AgentProfile => {
  const ucp = mapAt(document['ucp'], 'ucp');
  return {
    uri,
    // Cut by code units, it may end in half a letter.
    name: textOr(document['name'], null)?.slice(0, LONGEST_NAME).toWellFormed() ?? null,
    version: textAt(ucp['version'], 'ucp.version'),
    capabilities: fewOf(capabilitiesAt(ucp['capabilities']), 'ucp.capabilities'),
    signingKeys: keysOf(document, ucp),
  };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Malformed('it is not JSON');
  }
};

/** Reads the profile of an agent in either of its published shapes (docs/rules/agents.md#profiles). */
export const readProfile = (uri: string, text: string): ReadProfile => {
  try {
    return { kind: 'profile', profile: profileOf(uri, mapAt(parsed(text), 'the document')) };
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'malformed', problem: error.message };
    throw error;
  }
};

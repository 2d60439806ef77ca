import { LRUCache } from 'lru-cache';
import type { ModuleDeps } from '#command/engine/module.ts';
import type { AgentCapability } from '#agents/agent-profile.ts';
import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import { offeredCapabilities } from '#agents/capabilities.ts';
import { dialectOfVersion, mainDialect, supportedVersions, versionOf } from '#agents/dialect-choice.ts';
import type { DialectContext } from '#agents/dialects.ts';
import { incompatibleForms, manifestForms, type Manifest } from '#agents/manifest.ts';
import { negotiate } from '#agents/negotiate.ts';
import { handledMethods } from '#agents/payment-handlers.ts';
import { storefrontUrl } from '#agents/storefront-url.ts';
import { testAgentProfile } from '#agents/test-agent.ts';

/** Everything that manifests are made of, and those made of it: dropped together once anything of it changes. */
interface Made {
  readonly sources: readonly unknown[];
  readonly texts: LRUCache<string, string>;
  /** By what the agent can do: a profile that is fetched again is another one. */
  readonly negotiated: WeakMap<readonly AgentCapability[], LRUCache<string, string>>;
}

/** Strangers choose the host of an address where none is configured. */
const MOST_ADDRESSES = 50;
const MOST_ADDRESSES_OF_AN_AGENT = 5;

const nothingMade = (sources: readonly unknown[]): Made => ({
  sources,
  texts: new LRUCache({ max: MOST_ADDRESSES }),
  negotiated: new WeakMap(),
});

const madeOnce = (made: LRUCache<string, string>, key: string, make: () => string): string => {
  const known = made.get(key);
  if (known !== undefined) return known;
  const text = make();
  made.set(key, text);
  return text;
};

type ManifestDeps = Pick<ModuleDeps, 'config' | 'settings' | 'reference' | 'apis'>;

const manifestOf = (
  { config, settings, reference, apis }: ManifestDeps,
  dialect: DialectName,
  baseUrl: string,
  isLeaf: boolean,
): Manifest => {
  const { ucp } = config.protocol;
  const { name, description, websiteUrl } = settings();
  const methods = handledMethods(apis.payments.offeredToAgents(), {
    schemaBaseUrl: ucp.schemaBaseUrl,
    storeName: name,
    hasMembers: ucp.capabilities.identityLinking,
  });
  const further = supportedVersions(ucp.version).filter((version) => version !== ucp.version);
  return {
    baseUrl,
    capabilities: offeredCapabilities(ucp, dialect),
    handlers: methods.map(({ handler }) => handler),
    signingKeys: reference.signingKeys.published(),
    store: { name, description, websiteUrl },
    furtherVersions: isLeaf ? [] : further,
  };
};

/** The manifests of the shop, each made once and kept as text (docs/rules/agents.md#manifest). */
export const createManifests = (deps: ManifestDeps) => {
  const { config, settings, reference, apis } = deps;
  const { ucp } = config.protocol;
  const { schemaBaseUrl } = ucp;
  let made = nothingMade([]);
  /** Settings, keys and providers stand in a new object or list after each change, in every process. */
  const current = (): Made => {
    const sources = [settings(), reference.signingKeys.published(), apis.payments.offeredToAgents()];
    if (sources.some((source, index) => source !== made.sources[index])) made = nothingMade(sources);
    return made;
  };

  const contextOf = (dialect: DialectName): DialectContext => ({
    version: versionOf(ucp.version, dialect),
    schemaBaseUrl,
  });

  const whole = (dialect: DialectName, baseUrl: string, isLeaf = false): string =>
    madeOnce(current().texts, `${dialect} ${isLeaf} ${baseUrl}`, () =>
      JSON.stringify(manifestForms[dialect](manifestOf(deps, dialect, baseUrl, isLeaf), contextOf(dialect))),
    );

  const inCommon = (dialect: DialectName, baseUrl: string, agent: readonly AgentCapability[]): string => {
    const context = contextOf(dialect);
    const manifest = manifestOf(deps, dialect, baseUrl, false);
    const offer = { dialect, version: context.version, capabilities: manifest.capabilities };
    const capabilities = negotiate(offer, agent);
    if (capabilities.length > 0)
      return JSON.stringify(manifestForms[dialect]({ ...manifest, capabilities }, context));
    const continueUrl = storefrontUrl(settings().websiteUrl, baseUrl);
    return JSON.stringify(incompatibleForms[dialect]({ continueUrl }, context));
  };

  return {
    /** All of it; for an agent that is known, what it and the shop can both do. */
    manifest: (
      { dialect, identity }: Pick<AgentRequest, 'dialect' | 'identity'>,
      baseUrl: string,
    ): string => {
      const agent = identity?.capabilities ?? null;
      if (agent === null) return whole(dialect, baseUrl);
      const { negotiated } = current();
      const known =
        negotiated.get(agent) ?? new LRUCache<string, string>({ max: MOST_ADDRESSES_OF_AN_AGENT });
      negotiated.set(agent, known);
      return madeOnce(known, `${dialect} ${baseUrl}`, () => inCommon(dialect, baseUrl, agent));
    },
    /** That of one version, by itself; null: the shop does not speak it. */
    leaf: (version: string, baseUrl: string): string | null => {
      const isOwn = version === ucp.version;
      if (!isOwn && !supportedVersions(ucp.version).includes(version)) return null;
      const dialect = isOwn ? mainDialect(version) : dialectOfVersion(ucp.version, version);
      return dialect === null ? null : whole(dialect, baseUrl, true);
    },
    testAgent: (id: string, baseUrl: string): string =>
      madeOnce(current().texts, `agent ${id} ${baseUrl}`, () =>
        testAgentProfile(id, { baseUrl, settings: ucp, signingKeys: reference.signingKeys.published() }),
      ),
  };
};

export type Manifests = ReturnType<typeof createManifests>;

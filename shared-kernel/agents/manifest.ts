import type { PublicKey } from './agent-profile.ts';
import type { OfferedCapability } from './capabilities.ts';
import { OLDER_VERSION } from './dialect-choice.ts';
import type { DialectContext, Forms, Json } from './dialects.ts';
import { handlerList, handlersByName } from './forms/handler-forms.ts';
import type { PaymentHandler } from './protocol-session.ts';

/** What agents are told of the shop (docs/rules/agents.md#manifest), in no dialect's words. */
export interface Manifest {
  readonly baseUrl: string;
  readonly capabilities: readonly OfferedCapability[];
  readonly handlers: readonly PaymentHandler[];
  readonly signingKeys: readonly PublicKey[];
  readonly store: {
    readonly name: string;
    readonly description: string | null;
    readonly websiteUrl: string | null;
  };
  /** Further versions that have a manifest of their own. */
  readonly furtherVersions: readonly string[];
}

/** What a test agent says of itself. */
export interface TestAgent extends Pick<Manifest, 'baseUrl' | 'capabilities' | 'signingKeys'> {
  readonly name: string;
}

const SHOPPING = 'dev.ucp.shopping';

/** Below the protocol's own address; the older version's carry no version. */
const addressOf = ({ schemaBaseUrl, version }: DialectContext, path: string): string =>
  `${schemaBaseUrl.replace(/\/+$/, '')}${version === OLDER_VERSION ? '' : `/${version}`}/${path}`;

const described = ({ page, schema, config }: OfferedCapability, context: DialectContext): Json => ({
  version: context.version,
  spec: addressOf(context, page),
  schema: addressOf(context, schema),
  ...(config && { config }),
});

const binding = (baseUrl: string, context: DialectContext) => ({
  schema: addressOf(context, 'services/shopping/rest.openapi.json'),
  endpoint: `${baseUrl}/api/v1`,
});

const overview = (context: DialectContext) => ({
  version: context.version,
  spec: addressOf(context, 'specification/overview'),
});

const capabilityMap = (capabilities: readonly OfferedCapability[], context: DialectContext): Json =>
  Object.fromEntries(
    capabilities.map((one) => {
      const [parent, ...others] = one.parents;
      const parents = others.length === 0 ? parent : one.parents;
      return [one.name, [{ ...described(one, context), ...(parents !== undefined && { extends: parents }) }]];
    }),
  );

const capabilityList = (
  capabilities: readonly OfferedCapability[],
  context: DialectContext,
): readonly Json[] =>
  capabilities.map((one) => {
    const [parent] = one.parents;
    return { name: one.name, ...described(one, context), ...(parent !== undefined && { extends: parent }) };
  });

const storeOf = ({ store: { name, description, websiteUrl } }: Manifest): Json => ({
  name,
  ...(description !== null && { description }),
  ...(websiteUrl !== null && { url: websiteUrl }),
});

const serviceMap = (baseUrl: string, context: DialectContext): Json => ({
  [SHOPPING]: [{ ...overview(context), transport: 'rest', ...binding(baseUrl, context) }],
});

const olderServices = (baseUrl: string, context: DialectContext): Json => ({
  [SHOPPING]: { ...overview(context), rest: binding(baseUrl, context) },
});

const furtherOf = ({ baseUrl, furtherVersions }: Manifest): Json | null =>
  furtherVersions.length === 0
    ? null
    : Object.fromEntries(furtherVersions.map((one) => [one, `${baseUrl}/.well-known/ucp/${one}`]));

const current = (manifest: Manifest, context: DialectContext): Json => {
  const further = furtherOf(manifest);
  return {
    ucp: {
      version: context.version,
      ...(further && { supported_versions: further }),
      services: serviceMap(manifest.baseUrl, context),
      capabilities: capabilityMap(manifest.capabilities, context),
      payment_handlers: handlersByName(manifest.handlers, context),
    },
    signing_keys: manifest.signingKeys,
    store: storeOf(manifest),
  };
};

const older = (manifest: Manifest, context: DialectContext): Json => ({
  ucp: {
    version: context.version,
    services: olderServices(manifest.baseUrl, context),
    capabilities: capabilityList(manifest.capabilities, context),
  },
  payment: { handlers: handlerList(manifest.handlers, context) },
  signing_keys: manifest.signingKeys,
  store: storeOf(manifest),
});

export const manifestForms: Forms<Manifest> = { '2026-04-08': current, draft: current, '2026-01-11': older };

const currentAgent = (agent: TestAgent, context: DialectContext): Json => ({
  name: agent.name,
  ucp: {
    version: context.version,
    services: serviceMap(agent.baseUrl, context),
    capabilities: capabilityMap(agent.capabilities, context),
    payment_handlers: {},
  },
  signing_keys: agent.signingKeys,
});

const olderAgent = (agent: TestAgent, context: DialectContext): Json => ({
  name: agent.name,
  ucp: {
    version: context.version,
    services: olderServices(agent.baseUrl, context),
    capabilities: capabilityList(agent.capabilities, context),
  },
  signing_keys: agent.signingKeys,
});

export const testAgentForms: Forms<TestAgent> = {
  '2026-04-08': currentAgent,
  draft: currentAgent,
  '2026-01-11': olderAgent,
};

/** An agent that can do nothing of what the shop does: where its people may go on by themselves. */
const incompatible =
  (severity: string, capabilities: Json | readonly Json[]) =>
  ({ continueUrl }: { readonly continueUrl: string }, { version }: DialectContext): Json => ({
    ucp: { version, status: 'error', capabilities },
    messages: [
      {
        type: 'error',
        code: 'capabilities_incompatible',
        content: 'This shop and the agent have no capability in common.',
        severity,
      },
    ],
    continue_url: continueUrl,
  });

export const incompatibleForms: Forms<{ readonly continueUrl: string }> = {
  '2026-04-08': incompatible('unrecoverable', {}),
  draft: incompatible('unrecoverable', {}),
  '2026-01-11': incompatible('requires_buyer_input', []),
};

import type { TLSSocket } from 'node:tls';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { AgentCapability, AgentProfile, AgentProfiles, ResolvedProfile } from '#agents/agent-profile.ts';
import type { AgentIdentity, AgentRequest } from '#agents/agent-request.ts';
import { dialectOfVersion, mainDialect, OLDER_VERSION, supportedVersions } from '#agents/dialect-choice.ts';
import type { ProtocolErrorCode } from '#agents/protocol-error.ts';
import { storefrontUrl } from '#agents/storefront-url.ts';
import { readUcpAgent, type UcpAgent } from '#agents/ucp-agent-header.ts';
import type { AskHooks } from '#runtime/ask-hooks.ts';
import type { Config } from '#runtime/config.ts';
import { createAgentLimits, type Counted } from './agent-limits.ts';
import { findNoMember, type FindMember } from './agent-member.ts';
import { signatureCheck, verifiedProfile, type SignatureCheck } from './agent-signature.ts';
import { ProtocolRejection } from './protocol-rejection.ts';
import type { RequestFacts } from './request-facts.ts';

/** What a path asks of the agents who call it. */
export interface AgentDemands {
  /** A request without a profile is anonymous. */
  readonly mayBeAnonymous: boolean;
  /** Its profile is looked at. */
  readonly needsProfile: boolean;
  /** The version of the profile decides about the form of the answer. */
  readonly followsProfile: boolean;
  readonly counted: Counted;
}

/** Who asks on agent paths, and whether they may (docs/rules/agents.md#the-step). */
export interface AgentStep {
  /** HTTPS and its version, for everything below the four prefixes. Throws the refusal. */
  checkTransport(request: Pick<Request, 'secure' | 'socket'>, path: string): void;
  /** All that follows. Errors: refusals of the protocol. */
  identify(request: RequestFacts, demands: AgentDemands): AgentRequest | Promise<AgentRequest>;
  /** The form of the answer, for callers who need not be agents. */
  browse(request: RequestFacts): AgentRequest;
}

export interface AgentStepOptions {
  readonly protocol: Config['protocol'];
  /** Finds the member by the token of a request. Default: every buyer is a guest. */
  readonly findMember?: FindMember;
  /** Default: no profile is looked at. */
  readonly profiles?: AgentProfiles;
  readonly askHooks: AskHooks;
  /** How many proxies are believed: behind one, the connection says nothing of the agent's. */
  readonly trustedProxies: number;
  readonly websiteUrl: () => string | null;
  /** The shop's time in milliseconds. */
  readonly now: () => number;
}

const prefixes = ['/.well-known/ucp', '/api/v1/checkout-sessions', '/api/v1/orders', '/api/v1/carts'];

const isGuarded = (path: string): boolean =>
  prefixes.some(
    (prefix) => path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'),
  );

/** An opaque name has an end, too: what agents say of themselves stands in events. */
const LONGEST_ADDRESS = 2000;

const refusal = (code: ProtocolErrorCode, text: string): ProtocolRejection =>
  new ProtocolRejection({ code, text });

const unresolvedCodes = {
  'malformed-address': 'invalid_profile_url',
  unreachable: 'profile_unreachable',
  malformed: 'profile_malformed',
  'too-many': 'rate_limited',
} as const;

const unknownIdentity = (profileUri: string, profileState: AgentIdentity['profileState']): AgentIdentity => ({
  profileUri,
  profileState,
  name: null,
  version: null,
  capabilities: null,
  signingKeys: [],
  webhookUrl: null,
  checkoutWebhookUrl: null,
  supportsMultiGroup: false,
  isVerified: false,
});

const knownIdentity = (profileUri: string, profile: AgentProfile): AgentIdentity => {
  const { name, version, capabilities, signingKeys } = profile;
  const configOf = (capability: string): AgentCapability['config'] =>
    capabilities.find((one) => one.name === `dev.ucp.shopping.${capability}`)?.config ?? {};
  const webhookOf = (capability: string): string | null => {
    const { webhook_url: url = null } = configOf(capability);
    return url !== null && url.length <= LONGEST_ADDRESS ? url : null;
  };
  return {
    ...unknownIdentity(profileUri, 'resolved'),
    name,
    version,
    capabilities,
    signingKeys,
    webhookUrl: webhookOf('order'),
    checkoutWebhookUrl: webhookOf('checkout'),
    supportsMultiGroup: configOf('fulfillment').supports_multi_group === true,
  };
};

const checkTransport =
  ({
    protocol: { requireHttps, minimumTlsVersion },
    trustedProxies,
  }: AgentStepOptions): AgentStep['checkTransport'] =>
  ({ secure, socket }, path) => {
    if ((!requireHttps && minimumTlsVersion === '') || !isGuarded(path)) return;
    if (requireHttps && !secure) throw refusal('https_required', 'Agents must call this shop over HTTPS.');
    if (minimumTlsVersion === '' || trustedProxies > 0) return;
    const spoken = (socket as Partial<TLSSocket>).getProtocol?.() ?? null;
    if (spoken !== null && spoken < `TLSv${minimumTlsVersion}`)
      throw refusal(
        'tls_version_unsupported',
        `The connection uses ${spoken}; agents must use TLS ${minimumTlsVersion} or newer.`,
      );
  };

/** The refusal of a version that the shop does not speak: names those that it does. */
const unsupported = (
  { protocol: { ucp }, websiteUrl }: AgentStepOptions,
  version: string,
  { baseUrl }: RequestFacts,
): ProtocolRejection =>
  new ProtocolRejection({
    code: 'version_unsupported',
    text: `The version ${version.slice(0, 100)} is not supported. Supported: ${supportedVersions(ucp.version).join(', ')}.`,
    continueUrl: storefrontUrl(websiteUrl(), baseUrl),
    ...(mainDialect(ucp.version) === OLDER_VERSION && { httpStatus: 400 }),
  });

/** The request of an agent, in the dialect of the first version that is named. */
const requestIn = <Identity extends AgentIdentity | null>(
  options: AgentStepOptions,
  request: RequestFacts,
  identity: Identity,
  requestedVersion: string | null,
  followsProfile: boolean,
): AgentRequest & { readonly identity: Identity } => {
  const { version: ownVersion } = options.protocol.ucp;
  const ofProfile = followsProfile ? identity?.version : undefined;
  const named = requestedVersion ?? ofProfile ?? ownVersion;
  const dialect = dialectOfVersion(ownVersion, named);
  if (dialect === null) throw unsupported(options, named, request);
  return { identity, member: null, ownVersion, requestedVersion, dialect };
};

interface SignedRequest {
  readonly request: RequestFacts;
  readonly agent: AgentRequest & { readonly identity: AgentIdentity };
  readonly resolved: ResolvedProfile;
  readonly check: SignatureCheck;
}

/** The request, with its signer verified. Errors: the refusal of the signature. */
const signedBy = async (
  { request, agent, resolved, check }: SignedRequest,
  profiles: AgentProfiles,
): Promise<AgentRequest> => {
  const { profileUri } = agent.identity;
  const profile = await verifiedProfile(check, resolved, () =>
    profiles.refresh(profileUri, request.baseUrl, request.ip),
  );
  return { ...agent, identity: { ...knownIdentity(profileUri, profile), isVerified: true } };
};

const unnamed = (): ProtocolRejection =>
  refusal('invalid_profile_url', 'Name the profile of the agent: UCP-Agent: profile="https://…".');

/** The agent behind a profile that may be unreadable; a strict shop refuses it. */
const identityOf = (profileUri: string, resolved: ResolvedProfile, isStrict: boolean): AgentIdentity => {
  if (resolved.kind === 'resolved') return knownIdentity(profileUri, resolved.profile);
  const { reason, message: text, retryAfterSeconds } = resolved;
  if (!isStrict) return unknownIdentity(profileUri, reason);
  throw new ProtocolRejection({
    code: unresolvedCodes[reason],
    text,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
};

/** An agent sends the same field with every request. */
const MOST_KEPT = 500;
const LONGEST_KEPT = 500;

const createFieldReader = () => {
  const kept = new LRUCache<string, UcpAgent>({ max: MOST_KEPT });
  return (text: string | undefined): UcpAgent => {
    const known = text === undefined ? undefined : kept.get(text);
    if (known) return known;
    const found = readUcpAgent(text);
    if (text !== undefined && text.length <= LONGEST_KEPT) kept.set(text, found);
    return found;
  };
};

export const createAgentStep = (options: AgentStepOptions): AgentStep => {
  const { protocol, profiles, findMember = findNoMember, askHooks, now } = options;
  const { allowedAgents, profileResolution, requireSignature } = protocol.ucp;
  const fieldOf = createFieldReader();
  const limits = createAgentLimits(now, protocol.ucp.rateLimits);
  const isAllowed = (profile: string): boolean =>
    allowedAgents.includes('*') || allowedAgents.includes(profile);
  const admit = (request: RequestFacts, agent: AgentRequest, counted: Counted): AgentRequest => {
    const { identity } = agent;
    if (requireSignature && counted !== 'nothing' && !identity?.isVerified)
      throw refusal('signature_missing', 'This shop takes signed requests only.');
    limits(agent, request.ip, counted);
    const reason =
      identity && askHooks('ProtocolAgentAuthenticatingNotification', { agent: identity, ip: request.ip });
    if (reason) throw refusal('access_denied', reason);
    if (identity === null || counted === 'nothing') return agent;
    return { ...agent, member: findMember(request, identity) };
  };
  return {
    checkTransport: checkTransport(options),
    identify: (request, { mayBeAnonymous, needsProfile, followsProfile, counted }) => {
      const named = fieldOf(request.header('ucp-agent'));
      const { profile, version } = named;
      const askedBy = <Identity extends AgentIdentity | null>(identity: Identity) =>
        requestIn(options, request, identity, version, followsProfile);
      if (profile === null || profile.length > LONGEST_ADDRESS) {
        if (profile === null && mayBeAnonymous) return admit(request, askedBy(null), counted);
        throw unnamed();
      }
      if (!isAllowed(profile)) throw refusal('profile_not_trusted', 'This shop does not sell to this agent.');
      const check = profiles ? signatureCheck(request, protocol.ucp.version, named, now()) : null;
      if (!profiles || (!needsProfile && !check))
        return admit(request, askedBy(unknownIdentity(profile, 'unneeded')), counted);
      return profiles.resolve(profile, request.baseUrl, request.ip).then(async (resolved) => {
        const agent = askedBy(identityOf(profile, resolved, profileResolution === 'strict'));
        if (!check) return admit(request, agent, counted);
        const signed = await signedBy({ request, agent, resolved, check }, profiles).catch(
          (error: unknown) => {
            // It counts like a request without a signature.
            if (error instanceof ProtocolRejection) limits(agent, request.ip, counted);
            throw error;
          },
        );
        return admit(request, signed, counted);
      });
    },
    browse: (request) => {
      const { profile, version } = fieldOf(request.header('ucp-agent'));
      const identity = profile === null ? null : unknownIdentity(profile, 'unneeded');
      return requestIn(options, request, identity, version, false);
    },
  };
};

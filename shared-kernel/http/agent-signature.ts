import type { AgentProfile, AgentProfiles, PublicKey, ResolvedProfile } from '#agents/agent-profile.ts';
import { OLDER_VERSION, supportedVersions } from '#agents/dialect-choice.ts';
import { TEST_AGENTS } from '#agents/test-agent.ts';
import type { UcpAgent } from '#agents/ucp-agent-header.ts';
import { isDetached, verifyDetached } from '#signatures/detached-jws.ts';
import { fieldValue, urlParts, type RequestMessage } from '#signatures/http-message.ts';
import type { FindKey } from '#signatures/public-keys.ts';
import { signatureInvalid, type Verification } from '#signatures/verification.ts';
import { signaturesOf, verifySignatures } from '#signatures/verify-message.ts';
import { ProtocolRejection } from './protocol-rejection.ts';
import type { RequestFacts } from './request-facts.ts';

/** What a signed request says, once the keys of its profile are known. */
export type SignatureCheck = (findKey: FindKey) => Verification;

/** Detached JWSs belong to the older version; later ones sign the whole request. */
const takesDetached = (ownVersion: string, requestedVersion: string | null): boolean =>
  (requestedVersion ?? OLDER_VERSION) === OLDER_VERSION &&
  supportedVersions(ownVersion).includes(OLDER_VERSION);

/**
 * Whom a request was signed for where that is not this shop, as agents are told of it: another shop may send on here
 * what it was sent. The shop alone signs for its own test agents, under any name that staff have come by.
 */
const otherAddressee = (
  { url }: RequestMessage,
  baseUrl: string,
  profile: string | null,
): string | undefined => {
  if (!baseUrl.startsWith('https://') || profile?.startsWith(baseUrl + TEST_AGENTS)) return undefined;
  const { authority } = urlParts(url);
  return authority === urlParts(baseUrl).authority ? undefined : authority;
};

/** The signature of a request; null: it has none that can be read (docs/rules/agent-signatures.md#requests). */
export const signatureCheck = (
  request: Pick<RequestFacts, 'header' | 'message' | 'baseUrl'>,
  ownVersion: string,
  { profile, version }: UcpAgent,
  now: number,
): SignatureCheck | null => {
  const names = ['signature-input', 'request-signature'];
  if (names.every((name) => request.header(name) === undefined)) return null;
  const { message } = request;
  if (!message) return null;
  const signatures = signaturesOf(message.headers);
  if (signatures)
    return (findKey) => {
      const verification = verifySignatures(message, signatures, findKey, { now });
      if (verification.kind !== 'verified') return verification;
      const other = otherAddressee(message, request.baseUrl, profile);
      return other === undefined ? verification : signatureInvalid(`it is for ${other}, not for this shop`);
    };
  const jws = fieldValue(message.headers, 'request-signature');
  if (jws === undefined || !isDetached(jws) || !takesDetached(ownVersion, version)) return null;
  return (findKey) => verifyDetached(jws, message.body, findKey);
};

const keysByProfile = new WeakMap<AgentProfile, ReadonlyMap<string, PublicKey>>();

const keysOf = (profile: AgentProfile): FindKey => {
  const known = keysByProfile.get(profile);
  const keys = known ?? new Map(profile.signingKeys.toReversed().map((key) => [key.kid, key]));
  if (!known) keysByProfile.set(profile, keys);
  return (kid) => keys.get(kid);
};

/**
 * The profile whose key signed a request. A key that it lacks may be new, so the profile is fetched again, at most once
 * a minute. Errors: ProtocolRejection.
 */
export const verifiedProfile = async (
  check: SignatureCheck,
  resolved: ResolvedProfile,
  refresh: () => ReturnType<AgentProfiles['refresh']>,
): Promise<AgentProfile> => {
  if (resolved.kind === 'unresolved')
    throw new ProtocolRejection({
      code: 'profile_unreachable',
      text: `The signature cannot be checked. ${resolved.message}`,
    });
  let { profile } = resolved;
  let verification = check(keysOf(profile));
  if (verification.kind === 'refused' && verification.code === 'key_not_found') {
    const again = await refresh();
    if (again.kind === 'resolved' && again.profile !== profile) {
      ({ profile } = again);
      verification = check(keysOf(profile));
    }
  }
  if (verification.kind === 'verified') return profile;
  if (verification.kind === 'absent') throw new TypeError('a signature that was there has gone');
  const { code, text } = verification;
  throw new ProtocolRejection({ code, text });
};

import canonicalize from 'canonicalize';
import type { PublicKey } from '#agents/agent-profile.ts';
import type { AgentIdentity } from '#agents/agent-request.ts';
import type { Json } from '#agents/dialects.ts';
import type { OwnKeys } from '#agents/own-keys.ts';
import { protocolRefusal, type ProtocolErrorCode } from '#agents/protocol-error.ts';
import type { AgentMandate } from '#events/agent-session.events.ts';
import { isObject } from './disclosures.ts';
import { isAuthorized } from './merchant-authorization.ts';
import { readMandate, usableKeys, type ReadMandate } from './read-mandate.ts';

/** What a mandate is checked against. */
export interface MandateFacts {
  readonly identity: Pick<AgentIdentity, 'profileState' | 'signingKeys'>;
  /** Those of the profile as it is now: asked for where a mandate names a key that it did not have. */
  readonly keysAgain: () => Promise<readonly PublicKey[]>;
  readonly ownKeys: Pick<OwnKeys, 'find'>;
  /** The shop's address. */
  readonly baseUrl: string;
  /** Milliseconds. */
  readonly now: number;
  /** The session as this version of the protocol shows it; null: the shop does not speak it. */
  readonly shownIn: (version: unknown) => Json | null;
}

/** A mandate for one checkout that its buyer has seen. */
const FOR_ONE_CHECKOUT = 'mandate.checkout.1';
const MANDATE = '$.ap2.checkout_mandate';
/** What buyers agree to: the rest of a body may change without them. */
const terms = ['id', 'currency', 'line_items', 'totals'] as const;

const refuse = (code: ProtocolErrorCode, text: string, path = MANDATE): never => {
  throw protocolRefusal({ code, text, path });
};

const isPassed = ({ exp }: Json, now: number): boolean =>
  exp !== undefined && !(typeof exp === 'number' && now < exp * 1000);

const isEarly = ({ nbf }: Json, now: number): boolean =>
  nbf !== undefined && !(typeof nbf === 'number' && now >= nbf * 1000);

/** What the mandate is about, signed by the shop itself. */
const authorizedCheckout = async (claims: Json, ownKeys: MandateFacts['ownKeys']): Promise<Json> => {
  const { checkout } = claims;
  const { ap2 } = isObject(checkout) ? checkout : { ap2: null };
  const authorization = isObject(ap2) ? ap2['merchant_authorization'] : undefined;
  if (!isObject(checkout) || typeof authorization !== 'string')
    return refuse(
      'merchant_authorization_missing',
      'The mandate must have the whole checkout as its claim `checkout`, `ap2.merchant_authorization` included.',
    );
  if (!(await isAuthorized(checkout, authorization, ownKeys)))
    return refuse(
      'merchant_authorization_invalid',
      'The checkout in the mandate is not one that this shop has signed. Read it again, and leave it as it is.',
    );
  return checkout;
};

const signed = async (mandate: string, facts: MandateFacts): Promise<ReadMandate> => {
  const { profileState, signingKeys } = facts.identity;
  if (profileState !== 'resolved')
    return refuse(
      'profile_unreachable',
      'The mandate cannot be checked: the profile of the agent cannot be read.',
    );
  let agentKeys = usableKeys(signingKeys);
  let read = await readMandate(mandate, { agentKeys, audience: facts.baseUrl });
  if (read === 'unknown-key') {
    agentKeys = usableKeys(await facts.keysAgain());
    read = await readMandate(mandate, { agentKeys, audience: facts.baseUrl });
  }
  if (agentKeys.length === 0)
    return refuse('agent_missing_key', 'The profile of the agent has no signing key for ES256.');
  if (read === null || read === 'unknown-key')
    return refuse(
      'mandate_invalid_signature',
      'The mandate must be an SD-JWT signed with ES256 by a key of the profile, and bound to this shop if it is bound.',
    );
  return read;
};

/** What is kept of a key: whatever else is published about it says nothing of the signature. */
const kept = ({ kid, kty, crv = '', x = '', y = '' }: PublicKey) => ({ kid, kty, crv, x, y });

/**
 * The mandate by which a buyer has agreed to what the session sells (docs/rules/agent-mandates.md#checks). Errors:
 * refusals of the protocol, the first that applies.
 */
export const checkMandate = async (
  mandate: string | undefined,
  facts: MandateFacts,
): Promise<AgentMandate> => {
  if (mandate === undefined)
    return refuse('mandate_required', 'This checkout needs the mandate of its buyer.');
  const { claims, signedBy } = await signed(mandate, facts);
  if (isPassed(claims, facts.now) || isEarly(claims, facts.now))
    return refuse('mandate_expired', 'The mandate is not valid at this time.');
  if (claims['vct'] !== FOR_ONE_CHECKOUT)
    return refuse(
      'mandate_scope_mismatch',
      `The mandate must be for one checkout that the buyer has seen: its \`vct\` must be ${FOR_ONE_CHECKOUT}.`,
    );
  const agreed = await authorizedCheckout(claims, facts.ownKeys);
  const { ucp } = agreed;
  const shown = facts.shownIn(isObject(ucp) ? ucp['version'] : undefined);
  const isSame = (name: (typeof terms)[number]): boolean =>
    canonicalize(agreed[name]) === canonicalize(shown?.[name]);
  if (shown === null || !terms.every(isSame))
    return refuse(
      'mandate_scope_mismatch',
      'The mandate is for another checkout, or for what this one was before it changed.',
    );
  return { sdJwt: mandate, signedBy: kept(signedBy) };
};

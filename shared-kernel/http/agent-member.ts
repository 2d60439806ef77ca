import type { AccessTokens } from '#agents/access-tokens.ts';
import { CHECKOUT_SCOPE } from '#agents/access-tokens.ts';
import type { AgentIdentity, LinkedMember } from '#agents/agent-request.ts';
import type { ProtocolErrorCode } from '#agents/protocol-error.ts';
import { bearerOf } from './bearer.ts';
import { ProtocolRejection } from './protocol-rejection.ts';
import type { RequestFacts } from './request-facts.ts';

/** Finds the member for whom an agent asks. Throws the refusal of an invalid token. */
export type FindMember = (request: RequestFacts, identity: AgentIdentity) => LinkedMember | null;

/** For a shop that links no accounts: it ignores tokens. */
export const findNoMember: FindMember = () => null;

/** RFC 6750: says what is wrong, and where to learn how to get a token. */
const challenge = (base: string, parameters: Readonly<Record<string, string>>): string =>
  `Bearer ${Object.entries({ realm: base, ...parameters })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;

const refusal = (code: ProtocolErrorCode, text: string, authenticate?: string): ProtocolRejection =>
  new ProtocolRejection({ code, text, ...(authenticate !== undefined && { authenticate }) });

/** Whatever follows: an agent that means to ask for a member is not served as a guest. */
const isBearer = /^Bearer(\s|$)/i;

/**
 * The member by whose token a request is made; null without one, which is a guest's. A token is valid only with
 * the agent that it was given to (docs/rules/linked-members.md#tokens).
 */
export const createFindMember =
  (tokens: Pick<AccessTokens, 'verify'>): FindMember =>
  ({ header, baseUrl }, { profileUri }) => {
    const authorization = header('authorization') ?? '';
    if (!isBearer.test(authorization)) return null;
    const checked = tokens.verify(bearerOf(authorization) ?? '', baseUrl);
    if (checked.kind === 'refused') {
      const metadata = `${baseUrl}/.well-known/oauth-protected-resource`;
      const why = { error: 'invalid_token', resource_metadata: metadata };
      throw refusal(
        'invalid_token',
        'The token of the buyer is not valid, or no longer valid. Get a new one.',
        challenge(baseUrl, why),
      );
    }
    const { memberId, grantId, scopes, profileUri: givenTo } = checked.token;
    if (!scopes.includes(CHECKOUT_SCOPE)) {
      const why = { error: 'insufficient_scope', scope: CHECKOUT_SCOPE };
      throw refusal(
        'insufficient_scope',
        `The token of the buyer must have the scope ${CHECKOUT_SCOPE}.`,
        challenge(baseUrl, why),
      );
    }
    if (givenTo !== profileUri)
      throw refusal('access_denied', 'The token of the buyer was given to another agent.');
    return { memberId, grantId };
  };

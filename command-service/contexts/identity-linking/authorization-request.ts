import { CHECKOUT_SCOPE } from '#agents/access-tokens.ts';
import type { FindClient, OAuthClient } from '#agents/oauth-clients.ts';
import { isSameRedirect } from '#values/redirect-address.ts';

/** A parameter that comes twice is a list. */
export type Given = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a client asks of a member. */
export interface AuthorizationRequest {
  readonly client: OAuthClient;
  /** As the client named it: the code is valid for it only. */
  readonly redirectUri: string;
  readonly state: string | null;
  readonly scopes: readonly string[];
  /** The SHA-256 of the verifier. */
  readonly challenge: string;
}

type ErrorCode = 'invalid_request' | 'unsupported_response_type' | 'invalid_scope' | 'access_denied';

/** Where an answer goes. */
export type Return = Pick<AuthorizationRequest, 'redirectUri' | 'state'>;

export type ReadRequest =
  | { readonly kind: 'asked'; readonly request: AuthorizationRequest }
  /** The client is told. */
  | { readonly kind: 'refused'; readonly to: Return; readonly error: ErrorCode; readonly description: string }
  /** Only the member can be told: there is no address to answer to. */
  | { readonly kind: 'unusable'; readonly message: string };

/** The parameters of a request, in the order in which pages pass them on. */
export const parameterNames = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const;

/** Of a SHA-256, base64url. */
const challengeForm = /^[\w-]{43}$/;

/** All known scopes where none is named. Null: one of them is unknown. */
export const scopesOf = (
  text: string | undefined,
  known: readonly string[] = [CHECKOUT_SCOPE],
): readonly string[] | null => {
  const named = (text ?? '').split(' ').filter((scope) => scope !== '');
  if (named.length === 0) return known;
  return named.every((scope) => known.includes(scope)) ? [...new Set(named)] : null;
};

const whoAndWhere = (given: Given, find: FindClient) => {
  const { client_id: id, redirect_uri: redirectUri } = given;
  const client = typeof id === 'string' ? find(id) : undefined;
  if (!client) return 'This shop does not know the app that sent you here. Go back to the app and try again.';
  const isRegistered =
    typeof redirectUri === 'string' &&
    client.redirectUris.some((registered) => isSameRedirect(registered, redirectUri));
  if (!isRegistered)
    return `${client.name} wants to be told at an address that it has not registered here, so nothing was sent to it.`;
  return { client, redirectUri };
};

const problemOf = (given: Given): readonly [ErrorCode, string] | null => {
  const twice = parameterNames.find((name) => Array.isArray(given[name]));
  if (twice) return ['invalid_request', `${twice}: must be there once`];
  if (given['response_type'] === undefined) return ['invalid_request', 'response_type: must be code'];
  if (given['response_type'] !== 'code') return ['unsupported_response_type', 'response_type: must be code'];
  if (given['code_challenge_method'] !== 'S256')
    return ['invalid_request', 'code_challenge_method: must be S256'];
  if (!challengeForm.test(String(given['code_challenge'] ?? '')))
    return [
      'invalid_request',
      'code_challenge: must be the SHA-256 of the verifier, 43 characters of base64url',
    ];
  return null;
};

/** Pure: who asks, where the answer goes, and whether the rest of it can be granted (RFC 6749, 4.1.1; RFC 7636). */
export const readAuthorizationRequest = (given: Given, find: FindClient): ReadRequest => {
  const found = whoAndWhere(given, find);
  if (typeof found === 'string') return { kind: 'unusable', message: found };
  const { state: said, scope, code_challenge: challenge } = given;
  const to = { redirectUri: found.redirectUri, state: typeof said === 'string' ? said : null };
  const [error, description] = problemOf(given) ?? [];
  if (error !== undefined && description !== undefined) return { kind: 'refused', to, error, description };
  const scopes = scopesOf(scope as string | undefined);
  if (scopes === null)
    return { kind: 'refused', to, error: 'invalid_scope', description: `scope: must be ${CHECKOUT_SCOPE}` };
  return { kind: 'asked', request: { ...found, ...to, scopes, challenge: String(challenge) } };
};

/** The address with the answer; `iss` tells a client of several shops which one has answered (RFC 9207). */
export const returnAddress = (
  { redirectUri, state }: Return,
  answer: Readonly<Record<string, string>>,
  issuer: string,
): string => {
  const query = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
};

import type { FindClient, OAuthClient } from '#agents/oauth-clients.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { tokenForm, tokenResponse } from '#contracts/oauth.contract.ts';
import { anyone, ok, route, type Route, type RouteRequest } from '#http/route.ts';
import { invalidRequest, Rejection } from '#kernel/rejection.ts';
import { authenticate } from './oauth-clients.ts';
import type { TokenActions, TokenRequest, TokenSet } from './tokens.actions.ts';

export interface TokenRouteDeps {
  readonly actions: TokenActions;
  readonly findClient: FindClient;
  /** Throws `not-found` where accounts are not linked. */
  readonly refuseWhereOff: () => void;
}

type Form = (typeof tokenForm)['_output'];

const needed = (form: Form, name: 'code' | 'redirect_uri' | 'code_verifier' | 'refresh_token'): string => {
  const value = form[name];
  if (value === undefined || value === '') throw invalidRequest(`${name}: must be there`);
  return value;
};

/** Of 43 to 128 characters (RFC 7636, 4.1). */
const verifierForm = /^[\w.~-]{43,128}$/;

const verifierOf = (form: Form): string => {
  const verifier = needed(form, 'code_verifier');
  if (!verifierForm.test(verifier))
    throw invalidRequest(
      'code_verifier: must be 43 to 128 letters, digits, hyphens, dots, underscores or tildes',
    );
  return verifier;
};

/** Events name the agent as their actor. */
export const tokenRequest = (request: RouteRequest, client: OAuthClient): TokenRequest => ({
  client,
  issuer: request.baseUrl,
  meta: { ...metaOf(request), actor: { kind: 'agent', id: client.profileUri } },
});

const tokensFor = (actions: TokenActions, request: TokenRequest, form: Form): Promise<TokenSet> => {
  switch (form.grant_type) {
    case 'authorization_code':
      return actions.redeem(request, {
        code: needed(form, 'code'),
        redirectUri: needed(form, 'redirect_uri'),
        verifier: verifierOf(form),
      });
    case 'refresh_token':
      return actions.refresh(request, { refreshToken: needed(form, 'refresh_token'), scope: form.scope });
    default:
      throw new Rejection(
        'unsupported-grant-type',
        'grant_type: must be authorization_code or refresh_token',
      );
  }
};

export const tokenRoutes = ({ actions, findClient, refuseWhereOff }: TokenRouteDeps): readonly Route[] => [
  route({
    base: 'oauth',
    method: 'POST',
    service: 'command',
    caller: anyone,
    path: '/token',
    summary: 'Exchange a code or a refresh token for tokens (RFC 6749)',
    schemas: { body: tokenForm },
    response: tokenResponse,
    errors: ['not-found', 'invalid-client', 'invalid-grant', 'invalid-scope', 'unsupported-grant-type'],
    file: import.meta.url,
    handle: async (request) => {
      refuseWhereOff();
      const { body: form, header } = request;
      const credentials = { authorization: header('authorization'), clientId: form.client_id };
      const client = authenticate(findClient, credentials);
      const { accessToken, refreshToken, expiresInSeconds, scopes } = await tokensFor(
        actions,
        tokenRequest(request, client),
        form,
      );
      return ok(
        {
          access_token: accessToken,
          token_type: 'Bearer',
          expires_in: expiresInSeconds,
          refresh_token: refreshToken,
          scope: scopes.join(' '),
        },
        { headers: { Pragma: 'no-cache' } },
      );
    },
  }),
];

import { CHECKOUT_SCOPE } from '#agents/access-tokens.ts';
import { authorizationServerResponse, protectedResourceResponse } from '#contracts/oauth.contract.ts';
import { anyone, ok, route, type Route } from '#http/route.ts';

const common = {
  base: 'agent',
  method: 'GET',
  service: 'command',
  caller: anyone,
  errors: ['not_found'],
  file: import.meta.url,
} as const;

const clientAuthentication = ['client_secret_basic', 'none'];

/** Where clients find out how to link accounts (docs/rules/identity-linking.md#metadata). */
export const metadataRoutes = (refuseWhereOff: () => void): readonly Route[] => [
  route({
    ...common,
    path: '/.well-known/oauth-authorization-server',
    summary: 'How agents are linked to accounts (RFC 8414)',
    response: authorizationServerResponse,
    handle: async ({ baseUrl: issuer }) => {
      refuseWhereOff();
      return ok({
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        scopes_supported: [CHECKOUT_SCOPE],
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: clientAuthentication,
        revocation_endpoint_auth_methods_supported: clientAuthentication,
        authorization_response_iss_parameter_supported: true,
      });
    },
  }),
  route({
    ...common,
    path: '/.well-known/oauth-protected-resource',
    summary: 'Whose tokens agents may use here (RFC 9728)',
    response: protectedResourceResponse,
    handle: async ({ baseUrl }) => {
      refuseWhereOff();
      return ok({
        resource: baseUrl,
        authorization_servers: [baseUrl],
        scopes_supported: [CHECKOUT_SCOPE],
        bearer_methods_supported: ['header'],
      });
    },
  }),
];

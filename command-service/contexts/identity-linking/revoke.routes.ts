import { revokeForm } from '#contracts/oauth.contract.ts';
import { anyone, route, type Route } from '#http/route.ts';
import { authenticate } from './oauth-clients.ts';
import { tokenRequest, type TokenRouteDeps } from './token.routes.ts';

export const revokeRoutes = ({ actions, findClient, refuseWhereOff }: TokenRouteDeps): readonly Route[] => [
  route({
    base: 'oauth',
    method: 'POST',
    service: 'command',
    caller: anyone,
    path: '/revoke',
    summary: 'Revoke a token (RFC 7009); a refresh token revokes its whole grant',
    schemas: { body: revokeForm },
    status: 200,
    errors: ['not-found', 'invalid-client'],
    file: import.meta.url,
    handle: async (request) => {
      refuseWhereOff();
      const { body: form, header } = request;
      const credentials = { authorization: header('authorization'), clientId: form.client_id };
      const client = authenticate(findClient, credentials);
      await actions.revoke(tokenRequest(request, client), form.token);
      return { status: 200 };
    },
  }),
];

import { clientFinder } from '#agents/oauth-clients.ts';
import type { CommandModule, ModuleDeps } from '#command/engine/module.ts';
import { Rejection } from '#kernel/rejection.ts';
import { createAccessTokens } from '#runtime/access-tokens.ts';
import { agentClientsRoutes } from './agent-clients.routes.ts';
import { createAgentLinks } from './agent-links.actions.ts';
import { createAuthorizationCodes } from './authorization-codes.ts';
import { authorizeRoutes } from './authorize.routes.ts';
import { createFormTokens } from './form-tokens.ts';
import { linkedAgentsRoutes } from './linked-agents.routes.ts';
import { metadataRoutes } from './metadata.routes.ts';
import { purgeOAuth } from './purge-oauth.job.ts';
import { createRefreshTokens } from './refresh-tokens.ts';
import { revokeRoutes } from './revoke.routes.ts';
import { tokenRoutes } from './token.routes.ts';
import { createTokenActions } from './tokens.actions.ts';

const switchedBy =
  ({ config }: ModuleDeps) =>
  (): void => {
    if (!config.protocol.ucp.capabilities.identityLinking)
      throw new Rejection('not-found', 'This shop does not link accounts to agents.');
  };

const openStores = (deps: ModuleDeps) =>
  Promise.all([createAuthorizationCodes(deps), createRefreshTokens(deps), createFormTokens(deps)]);

/** Agents who act for members (docs/rules/identity-linking.md). */
export const identityLinking: CommandModule = {
  name: 'identity-linking',
  create: async (deps) => {
    const { streams, config, clock, ownKeys, reference, settings, apis, refuseUnusable } = deps;
    const { clients } = config.protocol.ucp.oAuth;
    const findClient = clientFinder(clients, reference.agentClients, refuseUnusable);
    const refuseWhereOff = switchedBy(deps);
    const [codes, refreshTokens, forms] = await openStores(deps);
    const now = () => clock.now();
    const hasEnded = reference.agentLinks.hasEnded;
    const accessTokens = createAccessTokens({ ownKeys, findClient, hasEnded, refuseUnusable, now });
    const actions = createTokenActions({
      ...{ streams, accessTokens, codes, refreshTokens, clock },
      members: () => apis.members,
    });
    const links = createAgentLinks({ streams, clients, standings: reference.agentClients });
    const ofTokens = { actions, findClient, refuseWhereOff };
    return {
      routes: [
        ...metadataRoutes(refuseWhereOff),
        ...authorizeRoutes({
          ...{ findClient, codes, forms, refuseWhereOff },
          members: () => apis.members,
          storeName: () => settings().name,
        }),
        ...tokenRoutes(ofTokens),
        ...revokeRoutes(ofTokens),
        ...linkedAgentsRoutes(links),
        ...agentClientsRoutes(deps),
      ],
      jobs: [purgeOAuth(deps)],
      actions: { agentLinks: links },
    };
  },
};

import { metaOf } from '#command/engine/request-meta.ts';
import {
  linkedAgentParams,
  linkedAgentsResponse,
  unlinkedResponse,
  type LinkedAgentRow,
} from '#contracts/linked-agents.contract.ts';
import { member, ok, route, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { AgentLinksApi, LinkedAgent } from './agent-link.commands.ts';

const shop = { base: 'storefront', service: 'command', caller: member, file: import.meta.url } as const;

/** One row for each agent, even one that is linked on several devices. */
const rowOf = (grants: readonly LinkedAgent[]): readonly LinkedAgentRow[] => {
  const oldest = grants.at(-1);
  if (!oldest) return [];
  const { clientId, name, profileUri, linkedAt } = oldest;
  const scopes = [...new Set(grants.flatMap((grant) => grant.scopes))];
  return [{ clientId, name, profileUri, scopes, linkedAt }];
};

/** What a member has linked, and how they end it; also once the shop no longer links accounts. */
export const linkedAgentsRoutes = (links: Pick<AgentLinksApi, 'ofMember' | 'unlink'>): readonly Route[] => [
  route({
    ...shop,
    method: 'GET',
    path: '/linked-agents',
    summary: 'The agents that may buy for the member, last linked first',
    response: linkedAgentsResponse,
    errors: ['unauthenticated'],
    handle: async ({ actor }) => {
      const grants = await links.ofMember(actor.id ?? '');
      const ofClients = Map.groupBy(grants, ({ clientId }) => clientId);
      return ok([...ofClients.values()].flatMap(rowOf));
    },
  }),
  route({
    ...shop,
    method: 'DELETE',
    path: '/linked-agents/{clientId}',
    summary: 'End what an agent may do for the member; all its tokens die',
    schemas: { params: linkedAgentParams },
    response: unlinkedResponse,
    errors: ['unauthenticated', 'not-found'],
    handle: async (request) => {
      const { actor, params } = request;
      const wasLinked = await links.unlink(actor.id ?? '', params.clientId, metaOf(request));
      if (!wasLinked) throw new Rejection('not-found', 'This agent is not linked to your account.');
      return ok({ success: true, message: 'This agent can no longer act for you.' });
    },
  }),
];

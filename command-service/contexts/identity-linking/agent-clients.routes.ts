import type { ModuleDeps } from '#command/engine/module.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import {
  agentClientList,
  agentClientPage,
  agentClientParams,
  agentClientQuery,
  disableAgentClient,
  enableAgentClient,
} from '#contracts/agent-clients.contract.ts';
import { admin, ok, reader, route, type Route, type RouteRequest } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { AgentClientCommand } from './agent-client.commands.ts';
import { AGENT_CLIENTS, agentClientsStream } from './agent-client.stream.ts';

type Deps = Pick<ModuleDeps, 'streams' | 'reference' | 'config' | 'reach'>;

const backoffice = { base: 'management', service: 'command', file: import.meta.url } as const;

/** The agents that members can link, and how the owner shuts one out (docs/rules/identity-linking.md#disabling). */
export const agentClientsRoutes = ({ streams, reference, config, reach }: Deps): readonly Route[] => {
  const { clients } = config.protocol.ucp.oAuth;
  /** Answers once this process knows of it; the others do within a second. */
  const send = async (request: RouteRequest, command: AgentClientCommand) => {
    if (!clients.some(({ clientId }) => clientId === command.clientId)) throw notFound('agent client');
    const sent = await streams.send(agentClientsStream, AGENT_CLIENTS, command, metaOf(request));
    await reach(sent.position);
    return ok(agentClientList(clients, reference.agentClients), { position: sent.position });
  };
  return [
    route({
      ...backoffice,
      method: 'GET',
      path: '/agent-clients',
      caller: reader,
      summary: 'List the agents that members can link, with the number of links',
      schemas: { query: agentClientQuery },
      response: agentClientPage,
      handle: ({ query }) => Promise.resolve(ok(agentClientList(clients, reference.agentClients, query))),
    }),
    route({
      ...backoffice,
      method: 'POST',
      path: '/agent-clients/{clientId}/disable',
      caller: admin,
      summary: 'End all that an agent may do for members, for good; returns all clients',
      schemas: { params: agentClientParams, body: disableAgentClient },
      response: agentClientPage,
      errors: ['invalid-request', 'entity-not-found'],
      isIdempotent: true,
      handle: (request) => {
        const { clientId } = request.params;
        return send(request, { type: 'DisableAgentClient', clientId, reason: request.body.reason });
      },
    }),
    route({
      ...backoffice,
      method: 'POST',
      path: '/agent-clients/{clientId}/enable',
      caller: admin,
      summary: 'Let a disabled agent ask members again; returns all clients',
      schemas: { params: agentClientParams, body: enableAgentClient },
      response: agentClientPage,
      errors: ['invalid-request', 'entity-not-found'],
      isIdempotent: true,
      handle: (request) => {
        const { clientId } = request.params;
        return send(request, { type: 'EnableAgentClient', clientId, reason: request.body.reason });
      },
    }),
  ];
};

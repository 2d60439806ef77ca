import type { ModuleDeps } from '#command/engine/module.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import {
  agentClientList,
  agentClientPage,
  agentClientParams,
  agentClientQuery,
  agentClientRow,
  agentClientSchema,
  disableAgentClient,
  enableAgentClient,
  type AgentClientRow,
} from '#contracts/agent-clients.contract.ts';
import { admin, ok, reader, route, type Route, type RouteRequest } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { AgentClientCommand } from './agent-client.commands.ts';
import { AGENT_CLIENTS, agentClientsStream } from './agent-client.stream.ts';

type Deps = Pick<ModuleDeps, 'streams' | 'reference' | 'config' | 'reach' | 'refuseUnusable'>;

const backoffice = { base: 'management', service: 'command', file: import.meta.url } as const;

const changing = ({ streams, reference, config, reach, refuseUnusable }: Deps) => {
  const known = (clientId: string): AgentClientRow => {
    const row = agentClientRow(clientId, config.protocol.ucp.oAuth.clients, reference.agentClients);
    if (!row) throw notFound('agent client');
    return row;
  };
  /** Answers once this process knows of it; the others do within a second. */
  return async (request: RouteRequest, command: AgentClientCommand) => {
    refuseUnusable();
    known(command.clientId);
    const { position } = await streams.send(agentClientsStream, AGENT_CLIENTS, command, metaOf(request));
    await reach(position);
    return ok(known(command.clientId), { position });
  };
};

/** The agents that members can link, and how the owner shuts one out (docs/rules/identity-linking.md#disabling). */
export const agentClientsRoutes = (deps: Deps): readonly Route[] => {
  const { reference, config, refuseUnusable } = deps;
  const { clients } = config.protocol.ucp.oAuth;
  const send = changing(deps);
  return [
    route({
      ...backoffice,
      method: 'GET',
      path: '/agent-clients',
      caller: reader,
      summary: 'List the agents that members can link, with the number of links',
      schemas: { query: agentClientQuery },
      response: agentClientPage,
      handle: async ({ query }) => {
        refuseUnusable();
        return ok(agentClientList(clients, reference.agentClients, query));
      },
    }),
    route({
      ...backoffice,
      method: 'POST',
      path: '/agent-clients/{clientId}/disable',
      caller: admin,
      summary: 'End all that an agent may do for members, for good',
      schemas: { params: agentClientParams, body: disableAgentClient },
      response: agentClientSchema,
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
      summary: 'Let a disabled agent ask members again',
      schemas: { params: agentClientParams, body: enableAgentClient },
      response: agentClientSchema,
      errors: ['invalid-request', 'entity-not-found'],
      isIdempotent: true,
      handle: (request) => {
        const { clientId } = request.params;
        return send(request, { type: 'EnableAgentClient', clientId, reason: request.body.reason });
      },
    }),
  ];
};

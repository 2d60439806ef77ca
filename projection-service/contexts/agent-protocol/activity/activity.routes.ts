import type { AgentSessionDocument } from '#agent-orders/agent-session.fold.ts';
import {
  agentCartDetail,
  agentCartListQuery,
  agentCartRow,
  agentSessionDetail,
  agentSessionListQuery,
  agentSessionRow,
  type AgentCartRow,
  type AgentSessionRow,
} from '#contracts/agent-activity.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import { streamOf } from '#values/stream-name.ts';
import { listRoute } from '../../../engine/list-view.ts';
import type { ProjectionDeps } from '../../../engine/service-deps.ts';
import { orderListProjection } from '../../orders/order-list.projection.ts';
import { agentCartsProjection, type AgentCartDocument } from '../carts/agent-carts.projection.ts';
import { agentSessionsProjection } from '../sessions/agent-sessions.projection.ts';
import { activityDetail } from './activity-detail.ts';
import { activityFilter, activityRow, newestFirst } from './activity-list.ts';

const file = import.meta.url;
const one = { method: 'GET', base: 'management', service: 'projection', caller: reader, file } as const;

const sessionRow = (document: AgentSessionDocument): AgentSessionRow => {
  const { status, cartId, invoiceNumber } = document;
  return { ...activityRow(document), status, cartId, invoiceNumber };
};

const cartRow = (document: AgentCartDocument): AgentCartRow => {
  const { status, sessionId } = document;
  return { ...activityRow(document), status, sessionId };
};

const sessionRoutes = (deps: ProjectionDeps): readonly Route[] => [
  listRoute<AgentSessionDocument, typeof agentSessionListQuery>(deps, {
    path: '/agent-sessions',
    summary: 'List checkout sessions of agents, those begun last first',
    view: agentSessionsProjection,
    query: agentSessionListQuery,
    order: newestFirst,
    filter: activityFilter,
    row: agentSessionRow,
    rows: (documents) => documents.map(sessionRow),
    file,
  }),
  route({
    ...one,
    path: '/agent-sessions/{id}',
    summary: 'Show a checkout session of an agent: what it asked for, what happened, and its invoice',
    schemas: { params: entityParams },
    response: agentSessionDetail,
    errors: ['entity-not-found'],
    reads: [agentSessionsProjection, orderListProjection],
    handle: async ({ params: { id } }) => {
      const document = await deps.reader.get<AgentSessionDocument>(agentSessionsProjection.name, id);
      if (!document) throw notFound('agent session');
      const detail = await activityDetail(deps, streamOf.agentSession(id), document.invoiceId);
      return ok({ ...sessionRow(document), ...detail });
    },
  }),
];

const cartRoutes = (deps: ProjectionDeps): readonly Route[] => [
  listRoute<AgentCartDocument, typeof agentCartListQuery>(deps, {
    path: '/agent-carts',
    summary: 'List carts of agents, those begun last first',
    view: agentCartsProjection,
    query: agentCartListQuery,
    order: newestFirst,
    filter: activityFilter,
    row: agentCartRow,
    rows: (documents) => documents.map(cartRow),
    file,
  }),
  route({
    ...one,
    path: '/agent-carts/{id}',
    summary: 'Show a cart of an agent: what it asked for, what happened, and its invoice',
    schemas: { params: entityParams },
    response: agentCartDetail,
    errors: ['entity-not-found'],
    reads: [agentCartsProjection, orderListProjection],
    handle: async ({ params: { id } }) => {
      const document = await deps.reader.get<AgentCartDocument>(agentCartsProjection.name, id);
      if (!document) throw notFound('agent cart');
      const detail = await activityDetail(deps, streamOf.agentCart(id), document.invoiceId);
      return ok({ ...cartRow(document), ...detail });
    },
  }),
];

/** What agents do here, for the backoffice (docs/rules/agent-sessions.md#backoffice). */
export const activityRoutes = (deps: ProjectionDeps): readonly Route[] => [
  ...sessionRoutes(deps),
  ...cartRoutes(deps),
];

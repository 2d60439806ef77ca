import {
  agentDeliveryDetail,
  agentDeliveryDetailSchema,
  agentDeliveryItem,
  agentDeliveryItemSchema,
  agentDeliveryPageSchema,
  agentDeliveryQuery,
} from '#contracts/agent-deliveries.contract.ts';
import { pageResponse } from '#contracts/listing.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import { notFound } from '#kernel/entity.ts';
import { actorName, type Actor } from '#kernel/event.ts';
import type { Clock } from '#kernel/clock.ts';
import type { LogProgress } from '#kernel/log-progress.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';
import { beingSent } from '#topics/retry-by-hand.ts';
import type { Readable } from '#topics/webhook-delivery.ts';
import { onceSeen } from '../../engine/once-seen.ts';
import { statusFilter } from '../../engine/status-filter.ts';
import { countNotices, findNotices, getNotice, takeNoticeStep } from './notice-rows.ts';
import { reopenNotice } from './notice-steps.ts';

export interface AgentDeliveryRoutesDeps {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  /** Turns the log into notices. */
  readonly follower: Pick<LogProgress, 'waitFor'>;
  /** A notice with its texts decrypted; null where that is no longer possible. Errors: `EngineUnavailable`. */
  readonly readable: (notice: AgentNotice) => Promise<Readable<AgentNotice>>;
  /** Sends a notice as soon as it is its turn, and waits for that a while. Errors: `EngineUnavailable`. */
  readonly sendNow: (notice: AgentNotice) => Promise<void>;
}

const common = { base: 'management', service: 'dispatcher', file: import.meta.url } as const;

const listRoute = ({ stateStore, follower }: AgentDeliveryRoutesDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/agent-deliveries',
    caller: reader,
    summary: 'List what agents were told of their orders and sessions, newest first, by page',
    schemas: { query: agentDeliveryQuery },
    response: agentDeliveryPageSchema,
    handle: (request) =>
      onceSeen([follower], request, async () => {
        const { query } = request;
        const { invoiceId, page, pageSize } = query;
        const filter = { ...defined({ invoiceId }), ...statusFilter(query) };
        // A stable order, so that rows of one instant stay on their pages.
        const sort = [
          ['dateCreated', -1],
          ['_id', -1],
        ] as const;
        const skip = (page - 1) * pageSize;
        const [found, count] = await Promise.all([
          findNotices(stateStore, { filter, sort, skip, limit: pageSize }),
          countNotices(stateStore, filter),
        ]);
        return ok(pageResponse(found.map(agentDeliveryItem), count, query));
      }),
  });

const known = async ({ stateStore }: AgentDeliveryRoutesDeps, id: string): Promise<AgentNotice> => {
  const notice = await getNotice(stateStore, id);
  if (!notice) throw notFound('delivery');
  return notice;
};

const detailRoute = (deps: AgentDeliveryRoutesDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/agent-deliveries/{id}',
    caller: reader,
    summary: 'Show what an agent was told: request, answer and attempts',
    schemas: { params: entityParams },
    response: agentDeliveryDetailSchema,
    errors: ['entity-not-found'],
    handle: (request) =>
      onceSeen([deps.follower], request, async () =>
        ok(agentDeliveryDetail(await deps.readable(await known(deps, request.params.id)))),
      ),
  });

/** Returns the notice as it is afterwards. */
const retryNow = async (deps: AgentDeliveryRoutesDeps, id: string, actor: Actor): Promise<AgentNotice> => {
  const { stateStore, clock } = deps;
  const notice = await deps.readable(await known(deps, id));
  const waiting = await takeNoticeStep(stateStore, reopenNotice(notice, clock.now(), actorName(actor)));
  if (!waiting) throw beingSent();
  await deps.sendNow(waiting);
  return (await getNotice(stateStore, id)) ?? waiting;
};

const retryRoute = (deps: AgentDeliveryRoutesDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/agent-deliveries/{id}/retry',
    caller: admin,
    summary: 'Send an agent a notice that failed again now; a scheduled retry falls away',
    schemas: { params: entityParams },
    response: agentDeliveryItemSchema,
    errors: ['entity-not-found', 'invalid-request', 'conflict'],
    handle: async ({ params: { id }, actor }) => ok(agentDeliveryItem(await retryNow(deps, id, actor))),
  });

/** The log of notices to agents (docs/rules/agent-notices.md#backoffice). */
export const agentDeliveryRoutes = (deps: AgentDeliveryRoutesDeps): readonly Route[] => [
  listRoute(deps),
  detailRoute(deps),
  retryRoute(deps),
];

import { pageResponse } from '#contracts/listing.contract.ts';
import { mailDetailSchema, mailListItemSchema } from '#contracts/mail-deliveries.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import {
  deliveryDetail,
  deliveryDetailSchema,
  deliveryListItem,
  deliveryListItemSchema,
  deliveryListQuery,
  deliveryPageSchema,
} from '#contracts/webhook-deliveries.contract.ts';
import { beingSent } from '#topics/retry-by-hand.ts';
import { topicsWithLinks } from '#topics/checkout-recovery.topics.ts';
import type { Delivery, ReadableDelivery } from '#topics/webhook-delivery.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import { actorName, type Actor } from '#kernel/event.ts';
import { firstOf, type OtherDeliveries } from '../../engine/other-deliveries.ts';
import { statusesOf, statusFilter } from '../../engine/status-filter.ts';
import type { Attempts } from './attempt-delivery.ts';
import { retryWebhook } from './delivery.ts';
import { countDeliveries, findDeliveries, getDelivery, takeStep } from './delivery-rows.ts';
import { known } from './known-subscription.ts';
import { reopenRollups } from './rollup-state.ts';
import { countInLog } from './webhook-stats.ts';
import type { DeliveryCounter } from './delivery-counter.ts';
import { onceSeen } from '../../engine/once-seen.ts';
import type { WebhookRoutesDeps } from './webhooks.routes.ts';

export interface DeliveryRoutesDeps extends WebhookRoutesDeps {
  readonly attempts: Attempts;
  /** Errors: `EngineUnavailable`. */
  readonly isAdmin: (actor: Actor) => Promise<boolean>;
  /** A delivery with its texts decrypted; null where that is no longer possible. Errors: `EngineUnavailable`. */
  readonly readable: (delivery: Delivery) => Promise<ReadableDelivery>;
  readonly counter: Pick<DeliveryCounter, 'settled'>;
  /** Of other kinds. */
  readonly deliveryLogs: readonly OtherDeliveries[];
}

const common = {
  base: 'management',
  service: 'dispatcher',
  file: import.meta.url,
} as const;

const listRoute = ({ stateStore, webhooks, reference, follower }: DeliveryRoutesDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    caller: reader,
    summary: 'List the deliveries of a subscription, newest first, by page',
    schemas: { params: entityParams, query: deliveryListQuery },
    response: deliveryPageSchema,
    errors: ['entity-not-found'],
    handle: (request) =>
      onceSeen([reference, follower], request, async () => {
        const { query } = request;
        const subscriptionId = request.params.id;
        known(webhooks, subscriptionId);
        const { page, pageSize, search } = query;
        const ofEntity = search ? { entityId: { contains: search.toLowerCase() } } : {};
        const filter = { subscriptionId, ...statusFilter(query), ...ofEntity };
        const skip = (page - 1) * pageSize;
        const sort = [['dateCreated', -1]] as const;
        const found = await findDeliveries(stateStore, { filter, sort, skip, limit: pageSize });
        const count = search
          ? await countDeliveries(stateStore, filter)
          : await countInLog(stateStore, subscriptionId, statusesOf(query));
        return ok(pageResponse(found.map(deliveryListItem), count, query));
      }),
  });

/** What opens a basket is for admins only, wherever it stands (docs/rules/abandoned-checkouts.md#links). */
const shownTo = async (
  { readable, isAdmin }: DeliveryRoutesDeps,
  actor: Actor,
  delivery: Delivery,
): Promise<ReadableDelivery> => {
  const shown = await readable(delivery);
  if (!topicsWithLinks.has(delivery.topic) || (await isAdmin(actor))) return shown;
  return { ...shown, requestBody: null, responseBody: null };
};

const detailRoute = (deps: DeliveryRoutesDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/webhooks/deliveries/{id}',
    caller: reader,
    summary: 'Show a delivery with what was sent and answered; mails, and links to baskets, to admins only',
    schemas: { params: entityParams },
    response: deliveryDetailSchema.or(mailDetailSchema),
    errors: ['entity-not-found'],
    handle: (request) =>
      onceSeen([deps.follower], request, async () => {
        const { id } = request.params;
        const delivery = await getDelivery(deps.stateStore, id);
        if (delivery) return ok(deliveryDetail(await shownTo(deps, request.actor, delivery)));
        const other = await firstOf(deps.deliveryLogs, (log) => log.detail(id, request.actor));
        if (!other) throw notFound('delivery');
        return ok(other);
      }),
  });

/** Sends again at once and returns the delivery as it stands afterwards; null where there is none. */
const retryNow = async (
  { stateStore, readable, clock, settings, attempts, counter }: DeliveryRoutesDeps,
  id: string,
  actor: Actor,
): Promise<Delivery | null> => {
  const delivery = await getDelivery(stateStore, id);
  if (!delivery) return null;
  const retry = retryWebhook(await readable(delivery), settings, clock.now(), actorName(actor));
  const [isAllowed] = await reopenRollups(stateStore, [delivery], clock.now());
  if (!isAllowed) throw notFound('delivery');
  const waiting = await takeStep(stateStore, retry);
  if (!waiting) throw beingSent();
  // Null: a worker was faster, and it is under way all the same.
  await (await attempts.claim(id))?.send();
  await counter.settled();
  return (await getDelivery(stateStore, id)) ?? waiting;
};

const retryRoute = (deps: DeliveryRoutesDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/webhooks/deliveries/{id}/retry',
    caller: admin,
    summary: 'Send a failed delivery again now; a scheduled retry falls away',
    schemas: { params: entityParams },
    response: deliveryListItemSchema.or(mailListItemSchema),
    errors: ['entity-not-found', 'invalid-request', 'conflict'],
    handle: async ({ params: { id }, actor }) => {
      const retried = await retryNow(deps, id, actor);
      if (retried) return ok(deliveryListItem(retried));
      const other = await firstOf(deps.deliveryLogs, (log) => log.retry(id, actor));
      if (!other) throw notFound('delivery');
      return ok(other);
    },
  });

/** The log of deliveries (docs/rules/webhooks.md#log-of-deliveries). */
export const deliveryRoutes = (deps: DeliveryRoutesDeps): readonly Route[] => [
  listRoute(deps),
  detailRoute(deps),
  retryRoute(deps),
];

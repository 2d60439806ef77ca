import { entityParams } from '#contracts/management.contract.ts';
import {
  filterTestBody,
  filterTestSchema,
  subscriptionEventsQuery,
  subscriptionEventsSchema,
  type SubscriptionEvents,
} from '#contracts/webhook-events.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import type { Actor } from '#kernel/event.ts';
import { topicsWithLinks } from '#topics/checkout-recovery.topics.ts';
import { onceSeen } from '../../engine/once-seen.ts';
import type { DeliveryRoutesDeps } from './deliveries.routes.ts';
import { testFilter } from './filter-test.ts';
import type { FilterMatcher } from './filter.ts';
import { eventsOf } from './subscription-events.ts';
import type { TopicLog } from './topic-log.ts';
import { known } from './known-subscription.ts';

export interface SubscriptionEventsDeps extends Pick<
  DeliveryRoutesDeps,
  'webhooks' | 'reference' | 'isAdmin'
> {
  readonly topicLog: TopicLog;
  readonly matches: FilterMatcher;
}

/** What opens a basket is for admins only, wherever it stands (docs/rules/abandoned-checkouts.md#links). */
const shownTo = async (
  { isAdmin }: SubscriptionEventsDeps,
  actor: Actor,
  page: SubscriptionEvents,
): Promise<SubscriptionEvents> => {
  const hasLinks = page.items.some(({ envelope }) => topicsWithLinks.has(envelope.topic));
  if (!hasLinks || (await isAdmin(actor))) return page;
  return {
    ...page,
    items: page.items.map(({ envelope, ...item }) => ({ ...item, envelope: { ...envelope, data: null } })),
  };
};

const common = { base: 'management', service: 'dispatcher', file: import.meta.url } as const;

const eventsRoute = (deps: SubscriptionEventsDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/webhooks/{id}/events',
    caller: reader,
    summary:
      'List what the log has to say to a subscription, told or not, by position; links to baskets to admins only',
    schemas: { params: entityParams, query: subscriptionEventsQuery },
    response: subscriptionEventsSchema,
    errors: ['entity-not-found', 'invalid-request'],
    handle: (request) =>
      onceSeen([deps.reference], request, async () => {
        const subscription = known(deps.webhooks, request.params.id);
        const page = await eventsOf(deps.topicLog, deps.matches, subscription, request.query);
        return ok(await shownTo(deps, request.actor, page));
      }),
  });

/** For admins: by its answers a filter spells out what it looks at. */
const filterTestRoute = ({ topicLog, reference }: SubscriptionEventsDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/webhooks/filter-test',
    caller: admin,
    summary: 'Try a filter on the newest messages of a topic',
    schemas: { body: filterTestBody },
    response: filterTestSchema,
    errors: ['invalid-request', 'view-being-filled'],
    handle: (request) =>
      onceSeen([reference], request, async () => ok(await testFilter(topicLog, request.body))),
  });

/** What the log has to say (docs/rules/webhooks.md#reconciling). */
export const subscriptionEventsRoutes = (deps: SubscriptionEventsDeps): readonly Route[] => [
  eventsRoute(deps),
  filterTestRoute(deps),
];

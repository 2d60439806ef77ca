import {
  abandonedCheckoutDetail,
  abandonedCheckoutListQuery,
  abandonedCheckoutRow,
  abandonedCheckoutSeries,
  abandonedCheckoutStats,
  abandonedCheckoutStatsQuery,
} from '#contracts/abandoned-checkouts.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { isAdmin } from '#http/callers/backoffice.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import { createUserFinder } from '#runtime/backoffice-users.ts';
import { listRoute, type ListOrder } from '../../engine/list-view.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import { basketProjection } from '../basket/basket.projection.ts';
import { orderListProjection } from '../orders/order-list.projection.ts';
import { abandonedCheckoutDaysProjection } from './abandoned-checkout-days.projection.ts';
import { checkoutDetail } from './abandoned-checkout-detail.queries.ts';
import { checkoutSeries, checkoutStats } from './abandoned-checkout-stats.queries.ts';
import type { AbandonedCheckoutDocument } from './abandoned-checkout.document.ts';
import { abandonedCheckoutsProjection } from './abandoned-checkouts.projection.ts';
import { checkoutFilter, checkoutRow, countedCheckouts } from './abandoned-checkouts.queries.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'management', service: 'projection', caller: reader, file } as const;
const days = [abandonedCheckoutDaysProjection];

const order: ListOrder = {
  fields: { DateAbandoned: 'sortedAt', LastActivity: 'lastActivityAt', Total: 'total', Email: 'emailKey' },
  newest: 'sortedAt',
};

const checkoutsList = (deps: ProjectionDeps): Route =>
  listRoute<AbandonedCheckoutDocument, typeof abandonedCheckoutListQuery>(deps, {
    path: '/abandoned-checkouts',
    summary: 'List checkouts in progress and left behind, those abandoned last first',
    view: abandonedCheckoutsProjection,
    query: abandonedCheckoutListQuery,
    order,
    filter: (query) => checkoutFilter(query, deps.settings().reportingTimeZone),
    total: countedCheckouts,
    row: abandonedCheckoutRow,
    reads: [referenceState],
    rows: (documents) => documents.map((document) => checkoutRow(deps, document)),
    file,
  });

const detailRoute = (deps: ProjectionDeps): Route => {
  const findUser = createUserFinder(deps.stateStore);
  return route({
    ...common,
    path: '/abandoned-checkouts/{id}',
    summary: 'Show a checkout, what is in it and, to admins, the link by which its shopper comes back',
    schemas: { params: entityParams },
    response: abandonedCheckoutDetail,
    errors: ['entity-not-found'],
    reads: [abandonedCheckoutsProjection, basketProjection, orderListProjection, referenceState],
    handle: async ({ params, actor }) => {
      const { name } = abandonedCheckoutsProjection;
      const document = await deps.reader.get<AbandonedCheckoutDocument>(name, params.id);
      if (!document) throw notFound('abandoned checkout');
      return ok(await checkoutDetail(deps, document, { seesLink: await isAdmin(actor, findUser) }));
    },
  });
};

const statsRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/abandoned-checkouts/stats',
    summary: 'How many checkouts were abandoned, and how many came back',
    schemas: { query: abandonedCheckoutStatsQuery },
    response: abandonedCheckoutStats,
    reads: days,
    handle: async ({ query }) => ok(await checkoutStats(deps, query)),
  });

const seriesRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/abandoned-checkouts/series',
    summary: 'What has become of the checkouts opened on each day: for charts',
    schemas: { query: abandonedCheckoutStatsQuery },
    response: abandonedCheckoutSeries,
    reads: days,
    handle: async ({ query }) => ok(await checkoutSeries(deps, query)),
  });

/** Abandoned checkouts, to be read by the backoffice (docs/rules/abandoned-checkouts.md#list). */
export const abandonedCheckoutRoutes = (deps: ProjectionDeps): readonly Route[] => [
  checkoutsList(deps),
  detailRoute(deps),
  statsRoute(deps),
  seriesRoute(deps),
];

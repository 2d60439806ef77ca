import type { ShopCheck } from '#command/engine/shop-check.ts';
import {
  healthCheckDetailsResponse,
  healthCheckDetailsQuery,
  healthCheckParams,
  healthCheckRunResponse,
  healthChecksResponse,
} from '#contracts/health-checks.contract.ts';
import { pageResponse } from '#contracts/listing.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import type { HealthCheckActions } from './health-checks.actions.ts';

const common = { base: 'management', service: 'command', caller: reader, file: import.meta.url } as const;
const path = '/health-checks';

const listed = ({ alias, name, description, icon, sortOrder }: ShopCheck) => ({
  alias,
  name,
  description,
  icon,
  sortOrder,
});

/** What may need attention in the shop (docs/rules/management.md#health-checks). */
export const healthCheckRoutes = ({ list, find }: HealthCheckActions): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path,
    summary: 'Everything that can be looked through for what needs attention',
    response: healthChecksResponse,
    handle: () => Promise.resolve(ok(list().map(listed))),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${path}/{alias}/run`,
    summary: 'Look through one, and say what it comes to',
    schemas: { params: healthCheckParams },
    response: healthCheckRunResponse,
    errors: ['entity-not-found'],
    handle: async ({ params }) => {
      const { check, count } = await find(params.alias, { skip: 0, limit: 0 });
      const { alias, name, description, icon, severity, summary } = check;
      const status = count === 0 ? 'success' : severity;
      return ok({
        alias,
        name,
        description,
        icon,
        status,
        summary: summary(count),
        affectedCount: count,
      });
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: `${path}/{alias}/details`,
    summary: 'What a look finds, by page',
    schemas: { params: healthCheckParams, query: healthCheckDetailsQuery },
    response: healthCheckDetailsResponse,
    errors: ['entity-not-found'],
    handle: async ({ params, query }) => {
      const { page, pageSize, search } = query;
      const { items, count } = await find(params.alias, {
        skip: (page - 1) * pageSize,
        limit: pageSize,
        search,
      });
      return ok(pageResponse(items, count, query));
    },
  }),
];

import { entityParams } from '#contracts/management.contract.ts';
import {
  upsellDashboard,
  upsellPerformance,
  upsellSummary,
  upsellSummaryQuery,
} from '#contracts/upsell-performance.contract.ts';
import { upsellRule } from '#entities/upsell-rule.entity.ts';
import { ok, reader as anyReader, route, type Route } from '#http/route.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import { upsellSalesProjection } from './upsell-sales.projection.ts';
import { dashboardOf, performanceOf, summaryOf } from './upsells.queries.ts';

const common = {
  method: 'GET',
  base: 'management',
  service: 'projection',
  caller: anyReader,
  file: import.meta.url,
  reads: [{ name: upsellSalesProjection.name }, { name: upsellRule.list }],
} as const;

/** What upsell rules have brought (docs/rules/upsell-performance.md#figures). */
export const upsellRoutes = (deps: ProjectionDeps): readonly Route[] => [
  route({
    ...common,
    path: `${upsellRule.path}/{id}/performance`,
    summary: 'What an upsell rule has shown and sold',
    schemas: { params: entityParams },
    response: upsellPerformance,
    errors: ['entity-not-found'],
    handle: async ({ params }) => ok(await performanceOf(deps, params.id)),
  }),
  route({
    ...common,
    path: `${upsellRule.path}/dashboard`,
    summary: 'What all upsell rules have shown and sold together',
    response: upsellDashboard,
    handle: async () => ok(await dashboardOf(deps)),
  }),
  route({
    ...common,
    path: `${upsellRule.path}/summary`,
    summary: 'What each upsell rule has shown and sold, the best first',
    schemas: { query: upsellSummaryQuery },
    response: upsellSummary,
    handle: async ({ query }) => ok(await summaryOf(deps, query.topN)),
  }),
];

import type { ProjectionModule } from '#projection/engine/module.ts';
import { explainedSales, explainedSold } from './explained-sales.ts';
import { discountDays } from './recorded-days.ts';
import { dashboardStatsRoute } from './dashboard-stats.routes.ts';
import { figureSeriesRoute } from './figure-series.routes.ts';
import { orderStatsRoute } from './order-stats.routes.ts';
import { reportingRoutes } from './reporting.routes.ts';
import { salesJournalProjection } from './sales-journal.projection.ts';
import { soldByMemberProjection } from './sold-by-member.projection.ts';
import { topRoute } from './top.routes.ts';

export const reporting: ProjectionModule = {
  name: 'reporting',
  projections: [salesJournalProjection, soldByMemberProjection],
  explains: [explainedSales, explainedSold],
  discountDays,
  routes: (deps) => [
    ...reportingRoutes(deps),
    figureSeriesRoute(deps),
    dashboardStatsRoute(deps),
    orderStatsRoute(deps),
    topRoute(deps),
  ],
};

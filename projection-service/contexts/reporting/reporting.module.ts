import type { ProjectionModule } from '#projection/engine/module.ts';
import { dailySalesProjection } from './daily-sales.projection.ts';
import { dashboardStatsRoute } from './dashboard-stats.routes.ts';
import { figureSeriesRoute } from './figure-series.routes.ts';
import { reportingRoutes } from './reporting.routes.ts';

export const reporting: ProjectionModule = {
  name: 'reporting',
  projections: [dailySalesProjection],
  routes: (deps) => [...reportingRoutes(deps), figureSeriesRoute(deps), dashboardStatsRoute(deps)],
};

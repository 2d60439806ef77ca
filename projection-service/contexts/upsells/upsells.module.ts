import type { ProjectionModule } from '#projection/engine/module.ts';
import { upsellSalesProjection } from './upsell-sales.projection.ts';
import { upsellRoutes } from './upsells.routes.ts';

export const upsells: ProjectionModule = {
  name: 'upsells',
  projections: [upsellSalesProjection],
  routes: upsellRoutes,
};

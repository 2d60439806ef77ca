import type { ProjectionModule } from '#projection/engine/module.ts';
import { discountListProjection } from './discount-list.projection.ts';
import { discountsRoutes } from './discounts.routes.ts';

export const discounts: ProjectionModule = {
  name: 'discounts',
  projections: [discountListProjection],
  routes: discountsRoutes,
};

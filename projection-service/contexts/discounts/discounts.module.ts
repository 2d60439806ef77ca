import type { ProjectionModule } from '#projection/engine/module.ts';
import { explainedDiscount, explainedUses } from './explained-uses.ts';
import { discountUsesProjection } from './discount-uses.projection.ts';
import { discountRoutes } from './discounts.routes.ts';

export const discounts: ProjectionModule = {
  name: 'discounts',
  projections: [discountUsesProjection],
  explains: [explainedUses, explainedDiscount],
  routes: discountRoutes,
};

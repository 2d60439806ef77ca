import type { ProjectionModule } from '#projection/engine/module.ts';
import { explainedCheckout } from './explained-checkout.ts';
import { abandonedCheckoutDaysProjection } from './abandoned-checkout-days.projection.ts';
import { abandonedCheckoutsProjection } from './abandoned-checkouts.projection.ts';
import { abandonedCheckoutRoutes } from './abandoned-checkouts.routes.ts';

export const abandonedCheckouts: ProjectionModule = {
  name: 'abandoned-checkouts',
  projections: [abandonedCheckoutsProjection, abandonedCheckoutDaysProjection],
  explains: [explainedCheckout],
  routes: abandonedCheckoutRoutes,
};

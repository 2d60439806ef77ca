import type { ProjectionModule } from '#projection/engine/module.ts';
import { explainedPayment } from './explained-payment.ts';
import { paymentsProjection } from './payments.projection.ts';
import { paymentsRoutes } from './payments.routes.ts';

export const payments: ProjectionModule = {
  name: 'payments',
  projections: [paymentsProjection],
  explains: [explainedPayment],
  routes: paymentsRoutes,
};

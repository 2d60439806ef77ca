import type { ProjectionModule } from '#projection/engine/module.ts';
import { orderListProjection } from './order-list.projection.ts';
import { ordersRoutes } from './orders.routes.ts';
import { outstandingRoutes } from './outstanding.routes.ts';

export const orders: ProjectionModule = {
  name: 'orders',
  projections: [orderListProjection],
  routes: (deps) => [...outstandingRoutes(deps), ...ordersRoutes(deps)],
};

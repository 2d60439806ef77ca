import type { ProjectionModule } from '#projection/engine/module.ts';
import { explainedOrder } from './explained-order.ts';
import { accountOrdersRoute } from './account-orders.routes.ts';
import { orderExportRoute } from './order-export.routes.ts';
import { orderListProjection } from './order-list.projection.ts';
import { orderNotesProjection } from './order-notes.projection.ts';
import { orderNotesRoute } from './order-notes.routes.ts';
import { ordersRoutes } from './orders.routes.ts';
import { outstandingRoutes } from './outstanding.routes.ts';

export const orders: ProjectionModule = {
  name: 'orders',
  projections: [orderListProjection, orderNotesProjection],
  explains: [explainedOrder],
  routes: (deps) => [
    ...outstandingRoutes(deps),
    orderExportRoute(deps),
    ...ordersRoutes(deps),
    orderNotesRoute(deps),
    accountOrdersRoute(deps),
  ],
};

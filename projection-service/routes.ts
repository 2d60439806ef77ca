import type { Route } from '#http/route.ts';
import { auditRoutes } from './contexts/audit/audit.routes.ts';
import { basketRoutes } from './contexts/basket/basket.routes.ts';
import { productRoutes } from './contexts/catalogue/products.routes.ts';
import { discountsRoutes } from './contexts/discounts/discounts.routes.ts';
import { ordersRoutes } from './contexts/orders/orders.routes.ts';
import { reportingRoutes, salesOfDay } from './contexts/reporting/reporting.routes.ts';
import { entityRoutes } from './engine/entity-routes.ts';
import { readViews } from './engine/read-views.ts';
import type { ProjectionDeps } from './engine/service-deps.ts';
import { entitiesByContext } from './projections.ts';

/** Every query of the shop that is answered from read models. */
export const projectionRoutes = (deps: ProjectionDeps): readonly Route[] =>
  [
    ...basketRoutes(deps),
    ...ordersRoutes(deps, salesOfDay(deps)),
    ...reportingRoutes(deps),
    ...productRoutes(deps),
    ...entitiesByContext.flatMap((kind) => entityRoutes(deps, kind)),
    ...discountsRoutes(deps),
    ...auditRoutes(deps),
  ].map((route) => readViews(deps, route));

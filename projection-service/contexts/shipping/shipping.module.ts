import type { ProjectionModule } from '#projection/engine/module.ts';
import { carrierRoutes } from './carriers.routes.ts';
import { placeRoutes } from './places.routes.ts';
import { warehouseRoutes } from './warehouses.routes.ts';

export const shipping: ProjectionModule = {
  name: 'shipping',
  routes: (deps) => [...placeRoutes(deps), ...carrierRoutes(deps), ...warehouseRoutes(deps)],
};

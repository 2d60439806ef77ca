import type { ProjectionModule } from '#projection/engine/module.ts';
import { basketProjection } from './basket.projection.ts';
import { basketRoutes } from './basket.routes.ts';

export const basket: ProjectionModule = {
  name: 'basket',
  projections: [basketProjection],
  routes: basketRoutes,
};

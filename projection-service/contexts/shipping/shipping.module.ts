import type { ProjectionModule } from '#projection/engine/module.ts';
import { placeRoutes } from './places.routes.ts';

export const shipping: ProjectionModule = {
  name: 'shipping',
  routes: placeRoutes,
};

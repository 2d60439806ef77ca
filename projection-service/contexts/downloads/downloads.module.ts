import type { ProjectionModule } from '#projection/engine/module.ts';
import { downloadsProjection } from './downloads.projection.ts';
import { downloadsRoutes } from './downloads.routes.ts';

export const downloads: ProjectionModule = {
  name: 'downloads',
  projections: [downloadsProjection],
  routes: downloadsRoutes,
};

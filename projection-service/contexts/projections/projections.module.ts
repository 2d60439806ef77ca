import type { ProjectionModule } from '#projection/engine/module.ts';
import { projectionsRoutes } from './projections.routes.ts';

export const projections: ProjectionModule = {
  name: 'projections',
  routes: projectionsRoutes,
};

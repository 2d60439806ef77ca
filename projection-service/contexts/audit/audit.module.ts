import type { ProjectionModule } from '#projection/engine/module.ts';
import { auditRoutes } from './audit.routes.ts';
import { correlationRoutes } from './correlation.routes.ts';

export const audit: ProjectionModule = {
  name: 'audit',
  routes: (deps) => [...auditRoutes(deps), ...correlationRoutes(deps)],
};

import type { ProjectionModule } from '#projection/engine/module.ts';
import { auditRoutes } from './audit.routes.ts';

export const audit: ProjectionModule = {
  name: 'audit',
  routes: auditRoutes,
};

import type { CommandModule } from '#command/engine/module.ts';
import { createHealthCheckActions } from './health-checks.actions.ts';
import { healthCheckRoutes } from './health-checks.routes.ts';

export const healthChecks: CommandModule = {
  name: 'health-checks',
  create: ({ shopChecks }) => ({ routes: healthCheckRoutes(createHealthCheckActions(shopChecks)) }),
};

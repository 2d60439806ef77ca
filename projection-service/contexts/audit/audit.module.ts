import type { ProjectionModule } from '#projection/engine/module.ts';
import { auditRoutes } from './audit.routes.ts';
import { correlationRoutes } from './correlation.routes.ts';
import { liveRoutes } from './live.routes.ts';
import { sealLog } from './seals/seal-log.job.ts';
import { sealRoutes } from './seals/seals.routes.ts';
import { verificationRoutes } from './verification/verification.routes.ts';
import { whyRoute } from './why.routes.ts';

export const audit: ProjectionModule = {
  name: 'audit',
  routes: (deps) => [
    ...auditRoutes(deps),
    ...correlationRoutes(deps),
    ...liveRoutes(deps),
    ...sealRoutes(deps),
    ...verificationRoutes(deps),
    whyRoute(deps),
  ],
  jobs: (deps) => [sealLog(deps)],
};

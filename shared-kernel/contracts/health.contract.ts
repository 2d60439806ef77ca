import { z } from 'zod';

/**
 * GET /health/ready. `process` asks for what is this process's own, whether it is open: another replica may be, while
 * an engine that is away is away for all of them.
 */
export const readyQuery = z.object({
  scope: z.enum(['process', 'all'], 'must be process or all').default('all'),
});
export type ReadinessScope = z.output<typeof readyQuery>['scope'];

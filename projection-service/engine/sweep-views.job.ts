import { isoInstant } from '#kernel/clock.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { ProjectionEngine } from './projection-engine.ts';

const A_DAY = 24 * 60 * 60 * 1000;

/**
 * Once a day removes what lapses from the views, such as baskets without a change for long
 * (docs/rules/basket.md#old-baskets). Only the process that follows the views can.
 */
export const sweepViewsJob = (
  engine: Pick<ProjectionEngine, 'sweep' | 'isFollowing'>,
  retentionDays: () => number,
): Job => ({
  name: 'sweep-views',
  schedule: '57 3 * * *',
  isDue: () => engine.isFollowing,
  runOnce: async (now) => ({ removed: await engine.sweep(isoInstant(now - retentionDays() * A_DAY)) }),
});

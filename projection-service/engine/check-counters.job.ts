import type { Job } from '#runtime/job-runner.ts';
import type { ProjectionEngine } from './projection-engine.ts';

/**
 * Once a day compares the counters of all views with their documents, and corrects those that differ. Only the process
 * that follows the views can (docs/guides/operations.md#health-and-figures).
 */
export const checkCountersJob = (engine: Pick<ProjectionEngine, 'checkCounters' | 'isFollowing'>): Job => ({
  name: 'check-tallies',
  schedule: '37 3 * * *',
  isDue: () => engine.isFollowing,
  runOnce: async () => {
    const { checked, corrected } = await engine.checkCounters();
    return { checked, corrected: corrected.map(({ view }) => view) };
  },
});

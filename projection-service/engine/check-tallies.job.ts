import type { Job } from '#runtime/job-runner.ts';
import type { ProjectionEngine } from './projection-engine.ts';

/**
 * Once a day compares the tallies of all views with their documents, and sets right those that differ. Only the process
 * that follows the views can (docs/operations.md#health-and-figures).
 */
export const checkTalliesJob = (engine: Pick<ProjectionEngine, 'checkTallies' | 'isFollowing'>): Job => ({
  name: 'check-tallies',
  schedule: '37 3 * * *',
  isDue: () => engine.isFollowing,
  runOnce: async () => {
    const { checked, corrected } = await engine.checkTallies();
    return { checked, corrected: corrected.map(({ view }) => view) };
  },
});

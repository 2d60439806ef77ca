import type { Job } from '#runtime/job-runner.ts';
import type { UpsellEvents } from './upsell-events.ts';

const DAY_MILLISECONDS = 24 * 3600 * 1000;

/** Deletes old impressions and clicks; the counts per day stay. */
export const purgeUpsellEvents = (
  { purge }: Pick<UpsellEvents, 'purge'>,
  retentionDays: () => number,
): Job => ({
  name: 'purge-upsell-events',
  schedule: '23 4 * * *',
  runOnce: async (now) => ({ removed: await purge(now - retentionDays() * DAY_MILLISECONDS) }),
});

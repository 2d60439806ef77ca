import type { RangeClock } from '#log/search-range.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';

export const rangeClock = ({ clock, settings }: Pick<ProjectionDeps, 'clock' | 'settings'>): RangeClock => ({
  now: clock.now(),
  offset: clock.now() - Date.now(),
  timeZone: settings().reportingTimeZone,
});

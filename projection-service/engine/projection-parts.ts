import type { LogProgress } from '#kernel/log-progress.ts';
import { percentRead } from '#log/share-read.ts';
import type { HealthCheck } from '#runtime/health.ts';
import type { Metrics } from '#runtime/metrics.ts';
import type { Contribution } from '../../shared-kernel/module.ts';
import { checkCountersJob } from './check-counters.job.ts';
import { catchUpCheck } from './catch-up.ts';
import type { ProjectionEngine } from './projection-engine.ts';
import { sweepViewsJob } from './sweep-views.job.ts';
import { createRebuildFigures } from './rebuild-figures.ts';
import type { ProjectionStatus } from './run-projection.ts';

/** A switch to a new generation takes a moment in which nothing follows. */
const LEFT_SECONDS = 10;

const problemsOf = (
  { name, stopped, collection, filling, former, lagSeconds, leftSeconds }: ProjectionStatus,
  maxLagSeconds: number,
): readonly string[] => {
  if (stopped) return [`${name} stopped at position ${stopped.position}: ${stopped.message}`];
  if (former) return lagOf(name, former.lagSeconds, maxLagSeconds);
  if (collection === null) {
    const percent = filling ? percentRead(filling) : 0;
    const left = filling?.secondsLeft ? `, about ${filling.secondsLeft} s left` : '';
    return [`${name} is being filled for the first time: ${percent} % of the log read${left}`];
  }
  if (leftSeconds > LEFT_SECONDS)
    return [`${name} stands still: nothing has followed the log for ${Math.round(leftSeconds)} seconds`];
  return lagOf(name, lagSeconds, maxLagSeconds);
};

const lagOf = (name: string, lagSeconds: number, maxLagSeconds: number): readonly string[] =>
  lagSeconds > maxLagSeconds ? [`${name} is ${Math.round(lagSeconds)} seconds behind the log`] : [];

/** Seconds and not positions: those of a server are no count of events. */
export const projectionsCheck = (
  engine: Pick<ProjectionEngine, 'status'>,
  maxLagSeconds: number,
): HealthCheck => ({
  name: 'projections',
  check: () => {
    const problems = engine.status().flatMap((status) => problemsOf(status, maxLagSeconds));
    return problems.length === 0 ? null : problems.join('; ');
  },
});

const followersOf = (engine: ProjectionEngine): LogProgress[] =>
  engine.status().map(({ name }) => ({
    name: `projection ${name}`,
    waitFor: async (position, timeoutMs) => (await engine.waitFor(name, position, timeoutMs)).isReached,
    stopped: () => engine.status().find((one) => one.name === name)?.stopped ?? null,
  }));

const measure = (engine: ProjectionEngine, metrics: Metrics): void => {
  const by = (name: string, help: string, read: (status: ProjectionStatus) => number): void =>
    metrics.gaugeBy(name, help, 'projection', () =>
      engine.status().map((status) => [status.name, read(status)] as const),
    );
  by(
    'tillroll_projection_lag_positions',
    'Events a projection is behind',
    ({ lagPositions }) => lagPositions,
  );
  by(
    'tillroll_projection_lag_seconds',
    'Seconds a projection is behind',
    ({ lagSeconds }) => lagSeconds ?? 0,
  );
  by('tillroll_projection_stopped', '1 when a projection stands still at an event', ({ stopped }) =>
    stopped ? 1 : 0,
  );
  metrics.gaugeBy(
    'tillroll_projection_followers',
    'Followers of the log that keep a projection up to date in this process: 1, and 0 where another process does',
    'projection',
    () => [...engine.followers()],
  );
  metrics.counter(
    'tillroll_projection_tallies_corrected_total',
    'Tallies that did not agree with their documents and were set right',
    () => engine.correctedCounters,
  );
  const rebuilds = createRebuildFigures(() => engine.rebuilds());
  metrics.gaugeBy(
    'tillroll_projection_rebuild_share',
    'How much of the log a rebuild has been through, from 0 to 1; only while there is one',
    'projection',
    rebuilds.shares,
  );
  metrics.gaugeBy(
    'tillroll_projection_rebuild_left_seconds',
    'About how long a rebuild will still take, at its pace so far',
    'projection',
    rebuilds.secondsLeft,
  );
};

/** How the projections are watched, waited for and stopped. `head`: of the log at the start. */
export const projectionParts = (
  engine: ProjectionEngine,
  {
    head,
    maxLagSeconds,
    retentionDays,
  }: { readonly head: number; readonly maxLagSeconds: number; readonly retentionDays: () => number },
): Contribution => ({
  checks: [projectionsCheck(engine, maxLagSeconds), catchUpCheck({ status: () => engine.status(), head })],
  followers: followersOf(engine),
  jobs: [checkCountersJob(engine), sweepViewsJob(engine, retentionDays)],
  measure: (metrics) => measure(engine, metrics),
  stop: () => engine.stop(),
});

import type { Follower } from '#http/testing.routes.ts';
import type { Config } from '#runtime/config.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import type { HealthCheck } from '#runtime/health.ts';
import { loadKeys } from '#runtime/keys.ts';
import { createLogger } from '#runtime/logging.ts';
import type { Metrics } from '#runtime/metrics.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { openHouse, type House } from '../shared-kernel/house.ts';
import type { RunningService, ServiceOptions, ServicePlan } from '../shared-kernel/open-services.ts';
import { openEngines } from '../shared-kernel/open-engines.ts';
import { watchRebuild, type OfflineProjections } from './cli.ts';
import { catchUpCheck } from './engine/catch-up.ts';
import { readPeriod, salesOf } from './contexts/reporting/reporting.queries.ts';
import { projectionsRoutes } from './contexts/projections/projections.routes.ts';
import { runProjections, type ProjectionEngine } from './engine/projection-engine.ts';
import { createRebuildFigures } from './engine/rebuild-figures.ts';
import { createReader } from './engine/reader.ts';
import type { ProjectionStatus } from './engine/run-projection.ts';
import type { ProjectionDeps } from './engine/service-deps.ts';
import { projections } from './projections.ts';
import { projectionRoutes } from './routes.ts';

export interface ProjectionService extends RunningService {
  readonly engine: ProjectionEngine;
}

const problemsOf = (
  { name, stopped, collection, lagSeconds }: ProjectionStatus,
  maxLagSeconds: number,
): readonly string[] => {
  if (stopped) return [`${name} stopped at position ${stopped.position}: ${stopped.message}`];
  if (collection === null) return [`${name} is being filled for the first time`];
  return lagSeconds > maxLagSeconds ? [`${name} is ${Math.round(lagSeconds)} seconds behind the log`] : [];
};

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

const followersOf = (engine: ProjectionEngine): Follower[] =>
  engine.status().map(({ name }) => ({
    name: `projection ${name}`,
    passed: async (position, timeoutMs) => (await engine.waitFor(name, position, timeoutMs)).isReached,
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
  const rebuilds = createRebuildFigures(() => engine.rebuilds());
  metrics.gaugeBy(
    'tillroll_projection_rebuild_share',
    'How much of the log a rebuild has been through, from 0 to 1; only while there is one',
    'projection',
    rebuilds.shares,
  );
  metrics.gaugeBy(
    'tillroll_projection_rebuild_left_seconds',
    'About how long a rebuild will still take, at its pace since the first look',
    'projection',
    rebuilds.secondsLeft,
  );
};

/** Puts the projection service together: read models and the queries on them. */
export const createProjectionService = async (
  options: Pick<ServiceOptions, 'house' | 'settings'> & {
    /** Further behind the log than this, it does not call itself ready. Default: no limit. */
    readonly maxLagSeconds?: number;
  },
): Promise<ProjectionService> => {
  const { house, settings, maxLagSeconds = Infinity } = options;
  const { feed, store, codec, readStore, leases, log, reference, clock } = house;
  const head = await feed.head();
  const engine = await runProjections({ projections, feed, store, codec, readStore, leases, log });
  const deps: ProjectionDeps = {
    reader: createReader({ readStore, engine }),
    store,
    waitForPosition: async (view, position) => (await engine.waitFor(view, position)).lagSeconds,
    reference,
    settings,
    clock,
  };
  return {
    service: 'projection',
    routes: [...projectionRoutes(deps), ...projectionsRoutes(engine)],
    testingRoutes: [],
    checks: [projectionsCheck(engine, maxLagSeconds), catchUpCheck({ status: () => engine.status(), head })],
    followers: followersOf(engine),
    measure: (metrics) => measure(engine, metrics),
    engine,
    jobs: [],
    idempotency: null,
    start: () => undefined,
    prepare: () => Promise.resolve(),
    stop: () => engine.stop(),
  };
};

export const projectionPlan = (): ServicePlan<ProjectionService> => ({
  parts: [],
  create: ({ config, ...options }) =>
    createProjectionService({ ...options, maxLagSeconds: config.health.maxLagSeconds }),
});

const FILL_MILLISECONDS = 60_000;

/** The read models, filled in one pass over a log that nobody appends to. Errors: `Error` when one of them stops. */
export const fillReadModels = async (house: House, settings: () => StoreSettings) => {
  const service = await createProjectionService({ house, settings });
  const head = await house.store.head();
  for (const { name } of service.engine.status()) {
    while (!(await service.engine.waitFor(name, head, FILL_MILLISECONDS)).isReached) {
      const stopped = service.engine.status().find((one) => one.name === name)?.stopped;
      if (stopped) throw new Error(`${name} stopped at position ${stopped.position}: ${stopped.message}`);
    }
  }
  const reader = createReader({ readStore: house.readStore, engine: service.engine });
  return {
    /** The sales of some business days, `YYYY-MM-DD`, both included. */
    salesBetween: async (start: string, end: string) =>
      salesOf(await readPeriod(reader, { start, end }), settings().storeCurrencyCode),
    stop: () => service.stop(),
  };
};

const withProjections = async <Answer>(
  config: Config,
  work: (projections: ProjectionService) => Promise<Answer>,
): Promise<Answer> => {
  const { applicationKey } = loadKeys(config);
  const engines = await openEngines({ ...config.engines, bus: memoryEngines.bus });
  const house = await openHouse({ engines, applicationKey, log: createLogger('warn', 'tillroll') });
  const service = await createProjectionService({ house, settings: house.reference.settings.current });
  await house.feed.start();
  try {
    return await work(service);
  } finally {
    await service.stop();
    await house.close();
  }
};

/** The projections of the configured engines, for the command line where no shop runs. */
export const offlineProjections: OfflineProjections = {
  list: (config) => withProjections(config, ({ engine }) => Promise.resolve(engine.status())),
  rebuild: (config, name, onProgress) =>
    withProjections(config, async ({ engine }) => {
      await engine.askRebuild(name);
      await watchRebuild(async () => (await engine.rebuilds()).get(name) ?? null, onProgress);
    }),
};

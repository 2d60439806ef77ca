import type { Route } from '#http/route.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { House } from '../shared-kernel/main.ts';
import { runProjections, type ProjectionEngine } from './engine/projection-engine.ts';
import { projectionsRoutes } from './contexts/projections/projections.routes.ts';
import { createReader } from './engine/reader.ts';
import type { ProjectionMetrics } from './engine/run-projection.ts';
import type { ProjectionDeps } from './engine/service-deps.ts';
import { projections } from './projections.ts';
import { projectionRoutes } from './routes.ts';

export interface ProjectionServiceOptions {
  readonly house: House;
  readonly settings: () => StoreSettings;
  readonly metrics?: ProjectionMetrics;
}

export interface ProjectionService {
  readonly routes: readonly Route[];
  readonly engine: ProjectionEngine;
  /** Finishes the batches in hand. */
  stop(): Promise<void>;
}

/** Puts the projection service together: read models and the queries on them. */
export const createProjectionService = async (
  options: ProjectionServiceOptions,
): Promise<ProjectionService> => {
  const { house, settings, metrics } = options;
  const { feed, store, codec, readStore, leases, log, reference, clock } = house;
  const engine = await runProjections({
    projections,
    feed,
    store,
    codec,
    readStore,
    leases,
    log,
    ...(metrics ? { metrics } : {}),
  });
  const deps: ProjectionDeps = {
    reader: createReader({ readStore, engine }),
    waitForPosition: async (view, position) => (await engine.waitFor(view, position)).lagSeconds,
    reference,
    settings,
    clock,
  };
  return {
    routes: [...projectionRoutes(deps), ...projectionsRoutes(engine)],
    engine,
    stop: () => engine.stop(),
  };
};

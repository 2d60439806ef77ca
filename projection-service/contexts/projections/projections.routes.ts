import {
  projectionParams,
  projectionsAnswer,
  type ProjectionAnswer,
} from '#contracts/projections.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ProjectionEngine } from '#projection/engine/projection-engine.ts';

type Engine = Pick<ProjectionEngine, 'status' | 'rebuild'>;

const common = {
  base: 'management',
  service: 'projection',
  file: 'projection-service/contexts/projections/projections.routes.ts',
} as const;

/** Rebuilds that were asked for here, by name; one at a time for each projection. */
const createRebuilds = (engine: Engine) => {
  const known = new Map<string, NonNullable<ProjectionAnswer['rebuild']>>();
  const note = (name: string, change: Partial<NonNullable<ProjectionAnswer['rebuild']>>): void => {
    const before = known.get(name) ?? { position: 0, head: 0, isDone: false, failure: null };
    known.set(name, { ...before, ...change });
  };
  return {
    of: (name: string) => known.get(name) ?? null,
    start: (name: string): void => {
      if (known.get(name)?.isDone === false) return;
      known.delete(name);
      note(name, {});
      engine
        .rebuild([name], ({ position, head }) => note(name, { position, head }))
        .then(
          () => note(name, { isDone: true }),
          (error: unknown) => note(name, { isDone: true, failure: String(error) }),
        );
    },
  };
};

/** How far the read models are, and the order to fill one anew (decisions, management 7). */
export const projectionsRoutes = (engine: Engine): readonly Route[] => {
  const rebuilds = createRebuilds(engine);
  const answers = (): readonly ProjectionAnswer[] =>
    engine.status().map(({ name, version, generation, checkpoint, lagPositions, lagSeconds, stopped }) => ({
      name,
      version,
      generation,
      checkpoint,
      lagPositions,
      lagSeconds,
      stopped: stopped && { position: stopped.position, message: stopped.message },
      rebuild: rebuilds.of(name),
    }));
  return [
    route({
      ...common,
      method: 'GET',
      path: '/projections',
      caller: reader,
      summary: 'How far the read models are',
      answer: projectionsAnswer,
      handle: async () => ok({ items: answers() }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projections/{name}/rebuild',
      caller: admin,
      summary: 'Fill a read model anew; the old one serves until then',
      schemas: { params: projectionParams },
      answer: projectionsAnswer,
      status: 202,
      errors: ['entity-not-found'],
      handle: async ({ params: { name } }) => {
        if (!engine.status().some((one) => one.name === name))
          throw new Rejection('entity-not-found', 'There is no such projection.');
        rebuilds.start(name);
        return { status: 202, json: { items: answers().filter((one) => one.name === name) } };
      },
    }),
  ];
};

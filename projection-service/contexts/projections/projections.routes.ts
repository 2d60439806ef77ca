import {
  projectionParams,
  projectionsResponse,
  rebuildBody,
  type ProjectionResponse,
} from '#contracts/projections.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ProjectionDeps } from '#projection/engine/service-deps.ts';

const common = {
  base: 'management',
  service: 'projection',
  file: import.meta.url,
} as const;

/** All of them, as they are now. */
const shown = async (engine: ProjectionDeps['engine']): Promise<readonly ProjectionResponse[]> => {
  const rebuilds = await engine.rebuilds();
  return engine
    .status()
    .map(({ name, version, generation, former, checkpoint, lagPositions, lagSeconds, stopped }) => ({
      name,
      version,
      generation,
      answeringVersion: generation === null ? (former?.version ?? null) : version,
      checkpoint,
      lagPositions,
      lagSeconds: former?.lagSeconds ?? lagSeconds,
      stopped: stopped && { position: stopped.position, message: stopped.message },
      rebuild: rebuilds.get(name) ?? null,
    }));
};

/** How far the read models are, and orders to rebuild them (docs/rules/management.md#read-models). */
export const projectionsRoutes = ({ engine }: Pick<ProjectionDeps, 'engine'>): readonly Route[] => {
  const isKnown = (wanted: string): boolean => engine.status().some(({ name }) => name === wanted);
  const rebuild = async (names: readonly string[]) => {
    await engine.askRebuild(names);
    const items = (await shown(engine)).filter(({ name }) => names.includes(name));
    return { status: 202, json: { items } };
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/projections',
      caller: reader,
      summary: 'How far the read models are',
      response: projectionsResponse,
      handle: async () => ok({ items: await shown(engine) }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projections/{name}/rebuild',
      caller: admin,
      summary: 'Rebuild a read model; the old one serves until then',
      schemas: { params: projectionParams },
      response: projectionsResponse,
      status: 202,
      errors: ['entity-not-found'],
      handle: async ({ params: { name } }) => {
        if (!isKnown(name)) throw new Rejection('entity-not-found', 'There is no such projection.');
        return rebuild([name]);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projections/rebuild',
      caller: admin,
      summary: 'Rebuild read models in one pass over the log; the old ones serve until then',
      schemas: { body: rebuildBody },
      response: projectionsResponse,
      status: 202,
      errors: ['invalid-request'],
      handle: ({ body: { names } }) => {
        const unknown = names.find((name) => !isKnown(name));
        if (unknown !== undefined)
          throw new Rejection(
            'invalid-request',
            `names: there is no projection "${unknown}"; GET /projections lists them.`,
          );
        return rebuild(names);
      },
    }),
  ];
};

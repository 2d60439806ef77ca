import {
  projectionParams,
  projectionsResponse,
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

/** How far the read models are, and the order to rebuild one (docs/rules/management.md#read-models). */
export const projectionsRoutes = ({ engine }: Pick<ProjectionDeps, 'engine'>): readonly Route[] => {
  const answers = async (): Promise<readonly ProjectionResponse[]> => {
    const rebuilds = await engine.rebuilds();
    return engine
      .status()
      .map(({ name, version, generation, checkpoint, lagPositions, lagSeconds, stopped }) => ({
        name,
        version,
        generation,
        checkpoint,
        lagPositions,
        lagSeconds,
        stopped: stopped && { position: stopped.position, message: stopped.message },
        rebuild: rebuilds.get(name) ?? null,
      }));
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/projections',
      caller: reader,
      summary: 'How far the read models are',
      response: projectionsResponse,
      handle: async () => ok({ items: await answers() }),
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
        if (!engine.status().some((one) => one.name === name))
          throw new Rejection('entity-not-found', 'There is no such projection.');
        await engine.askRebuild(name);
        return { status: 202, json: { items: (await answers()).filter((one) => one.name === name) } };
      },
    }),
  ];
};

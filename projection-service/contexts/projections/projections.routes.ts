import {
  projectionParams,
  projectionsResponse,
  rebuildBody,
  type ProjectionResponse,
} from '#contracts/projections.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { actorName } from '#kernel/event.ts';
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

type Engine = ProjectionDeps['engine'];

const checkKnown = (engine: Engine, wanted: readonly string[]): void => {
  const known = new Set(engine.status().map(({ name }) => name));
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new Rejection(
    'entity-not-found',
    `There is no projection "${unknown.join('", "')}"; GET /projections lists them.`,
  );
};

const accepted = async (engine: Engine, names: readonly string[]) => {
  const items = (await shown(engine)).filter(({ name }) => names.includes(name));
  return { status: 202, json: { items } };
};

const rebuildSeveral = (engine: Engine): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/projections/rebuild',
    caller: admin,
    summary: 'Rebuild read models in one pass over the log; the old ones serve until then',
    schemas: { body: rebuildBody },
    response: projectionsResponse,
    status: 202,
    errors: ['invalid-request', 'entity-not-found'],
    handle: async ({ body: { names }, actor }) => {
      checkKnown(engine, names);
      await engine.askRebuild(names, actorName(actor));
      return accepted(engine, names);
    },
  });

const ofOneView = { ...common, path: '/projections/{name}/rebuild', caller: admin } as const;
const takesOneView = {
  schemas: { params: projectionParams },
  response: projectionsResponse,
  status: 202,
} as const;

const rebuildOne = (engine: Engine): Route =>
  route({
    ...ofOneView,
    ...takesOneView,
    method: 'POST',
    summary: 'Rebuild a read model; the old one serves until then',
    errors: ['entity-not-found'],
    handle: async ({ params: { name }, actor }) => {
      checkKnown(engine, [name]);
      await engine.askRebuild([name], actorName(actor));
      return accepted(engine, [name]);
    },
  });

const cancelOne = (engine: Engine): Route =>
  route({
    ...ofOneView,
    ...takesOneView,
    method: 'DELETE',
    summary: 'Cancel the rebuild of a read model; the old one goes on serving',
    errors: ['entity-not-found'],
    handle: async ({ params: { name }, actor }) => {
      checkKnown(engine, [name]);
      if (!(await engine.cancelRebuild(name, actorName(actor))))
        throw new Rejection('entity-not-found', `No rebuild of ${name} is under way.`);
      return accepted(engine, [name]);
    },
  });

/** How far the read models are, and orders to rebuild them (docs/rules/replay.md#rebuild). */
export const projectionsRoutes = ({ engine }: Pick<ProjectionDeps, 'engine'>): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/projections',
    caller: reader,
    summary: 'How far the read models are',
    response: projectionsResponse,
    handle: async () => ok({ items: await shown(engine) }),
  }),
  rebuildOne(engine),
  cancelOne(engine),
  rebuildSeveral(engine),
];

import type { z } from 'zod';
import { entityParams } from '#contracts/management.contract.ts';
import { admin, created, noContent, ok, route, type Route, type RouteRequest } from '#http/route.ts';
import { management } from '#http/surfaces/management.ts';
import type { Entity } from '#kernel/entity.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import type { Entities } from './entities.ts';
import { metaOf } from './request-meta.ts';

/** The id of what a request creates: derived when it may be repeated, so that a repeat meets its own streams. */
export const idOfCreated = (noun: string, { commandId }: RouteRequest): string =>
  commandId === undefined ? newId() : derivedId(noun, commandId);

export const managementPath = management.mountPoints[0];

export interface EntityEndpoints<Fields> {
  readonly entities: Entities<Fields>;
  /** `/warehouses` */
  readonly path: string;
  readonly noun: string;
  readonly createBody: z.ZodType<Fields>;
  readonly changeBody: z.ZodType<Partial<Fields>>;
  readonly answer: z.ZodType;
  readonly toAnswer: (entity: Entity<Fields>) => unknown;
  readonly file: string;
}

/** POST, PUT and DELETE of a simple entity (decisions, management 1). */
export const entityRoutes = <Fields>(endpoints: EntityEndpoints<Fields>): readonly Route[] => {
  const { entities, path, noun, toAnswer, answer, file } = endpoints;
  const common = { base: 'management', service: 'command', caller: admin, file } as const;
  return [
    route({
      ...common,
      method: 'POST',
      path,
      summary: `Create a ${noun}`,
      schemas: { body: endpoints.createBody },
      answer,
      status: 201,
      errors: ['invalid-request', 'value-taken'],
      isIdempotent: true,
      handle: async (request) => {
        const { entity, position } = await entities.create(
          idOfCreated(noun, request),
          request.body as Fields,
          metaOf(request),
        );
        return created(`${managementPath}${path}/${entity.id}`, toAnswer(entity), { position });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/{id}`,
      summary: `Change a ${noun}: the given fields are replaced`,
      schemas: { params: entityParams, body: endpoints.changeBody },
      answer,
      errors: ['invalid-request', 'entity-not-found', 'value-taken'],
      handle: async (request) => {
        const changes = request.body as Partial<Fields>;
        const { entity, position } = await entities.change(request.params.id, changes, metaOf(request));
        return ok(toAnswer(entity), { position });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: `Delete a ${noun} that nothing depends on`,
      schemas: { params: entityParams },
      errors: ['entity-not-found', 'still-used'],
      handle: async (request) =>
        noContent({ position: await entities.remove(request.params.id, metaOf(request)) }),
    }),
  ];
};

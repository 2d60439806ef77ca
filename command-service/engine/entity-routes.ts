import { entityParams, type CurrencyOf } from '#contracts/management.contract.ts';
import { admin, created, noContent, ok, route, type Route } from '#http/route.ts';
import { management } from '#http/surfaces/management.ts';
import type { Entity } from '#kernel/entity.ts';
import { idOfCreated } from './command-meta.ts';
import type { EntityKeeper } from './entity-keeper.ts';
import { metaOf } from './request-meta.ts';

export const managementPath = management.mountPoints[0];

/** POST, PUT and DELETE of a declared kind. */
export const entityRoutes = (keeper: EntityKeeper, currency: CurrencyOf): readonly Route[] => {
  const { path, noun, answer, file, ...kind } = keeper.kind;
  const common = { base: 'management', service: 'command', caller: admin, file } as const;
  const show = (entity: Entity<object>): object => kind.toAnswer(entity, currency());
  return [
    route({
      ...common,
      method: 'POST',
      path,
      summary: `Create a ${noun}`,
      schemas: { body: kind.createBody(currency) },
      ruleProblems: ({ body }) => keeper.problemsBeside(body, currency, null),
      answer,
      status: 201,
      errors: ['invalid-request', 'value-taken'],
      isIdempotent: true,
      handle: async (request) => {
        const { entity, position } = await keeper.create(
          idOfCreated(noun, request),
          request.body,
          metaOf(request),
        );
        return created(`${managementPath}${path}/${entity.id}`, show(entity), { position });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/{id}`,
      summary: `Change a ${noun}: the given fields are replaced`,
      schemas: { params: entityParams, body: kind.changeBody(currency) },
      ruleProblems: ({ params, body }) =>
        keeper.problemsBeside(body, currency, (params as { id: string }).id),
      answer,
      errors: ['invalid-request', 'entity-not-found', 'value-taken'],
      handle: async (request) => {
        const { entity, position } = await keeper.change(request.params.id, request.body, metaOf(request));
        return ok(show(entity), { position });
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
        noContent({ position: await keeper.remove(request.params.id, metaOf(request)) }),
    }),
  ];
};

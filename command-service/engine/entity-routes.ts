import { z } from 'zod';
import { entityParams, reorderBody, type CurrencyOf } from '#contracts/management.contract.ts';
import { admin, created, noContent, ok, route, type Route } from '#http/route.ts';
import { management } from '#http/surfaces/management.ts';
import { idOfCreated, stepMeta } from './command-meta.ts';
import type { EntityActions, Saved } from './entity.actions.ts';
import { metaOf } from './request-meta.ts';

export const managementPath = management.mountPoints[0];

/** A managed thing as it is after a change. */
export const showSaved =
  <Fields extends object, New>({ show }: EntityActions<Fields, New>) =>
  ({ entity }: Saved<Fields>): object =>
    show(entity);

/** PUT of the order of a kind that has one. */
const reorderRoutes = (actions: EntityActions): readonly Route[] => {
  const { path, noun, answer, file, reordered } = actions.kind;
  if (reordered === null) return [];
  const show = showSaved(actions);
  return [
    route({
      method: 'PUT',
      base: 'management',
      service: 'command',
      caller: admin,
      file,
      path: `${path}/reorder`,
      summary: `Put every ${noun} that is named in this order`,
      schemas: { body: reorderBody },
      answer: z.object({ items: z.array(answer) }),
      errors: ['invalid-request'],
      handle: async (request) => {
        const saved = await actions.reorder(request.body.ids, stepMeta(metaOf(request)));
        return ok(
          { items: saved.map(show) },
          { position: Math.max(0, ...saved.map(({ position }) => position)) },
        );
      },
    }),
  ];
};

/** POST, PUT and DELETE of a declared kind. */
export const entityCommandRoutes = (actions: EntityActions, currency: CurrencyOf): readonly Route[] => [
  ...singleRoutes(actions, currency),
  ...reorderRoutes(actions),
];

const singleRoutes = (actions: EntityActions, currency: CurrencyOf): readonly Route[] => {
  const { path, noun, answer, file, remains, ...kind } = actions.kind;
  const common = { base: 'management', service: 'command', caller: admin, file } as const;
  const show = showSaved(actions);
  return [
    route({
      ...common,
      method: 'POST',
      path,
      summary: `Create a ${noun}`,
      schemas: { body: kind.createBody(currency) },
      ruleProblems: ({ body }) => actions.problemsBeside(body, null),
      answer,
      status: 201,
      errors: ['invalid-request', 'value-taken'],
      isIdempotent: true,
      handle: async (request) => {
        const id = idOfCreated(noun, request);
        const saved = await actions.create(id, request.body, metaOf(request));
        // A repeated command finds a thing that may have changed since.
        const counted = saved.hasChanged ? kind.countedAtFirst(saved.entity.fields) : {};
        const answered = { ...show(saved), ...counted };
        return created(`${managementPath}${path}/${id}`, answered, { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/{id}`,
      summary: `Change a ${noun}: the given fields are replaced`,
      schemas: { params: entityParams, body: kind.changeBody(currency) },
      ruleProblems: ({ params, body }) => actions.problemsBeside(body, (params as { id: string }).id),
      answer,
      errors: ['invalid-request', 'entity-not-found', 'value-taken'],
      handle: async (request) => {
        const saved = await actions.change(request.params.id, request.body, metaOf(request));
        return ok(show(saved), { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: `Delete a ${noun}${remains === null ? ' that nothing depends on' : `; ${remains} stays`}`,
      schemas: { params: entityParams },
      errors: remains === null ? ['entity-not-found', 'still-used'] : ['entity-not-found'],
      handle: async (request) =>
        noContent({ position: await actions.remove(request.params.id, metaOf(request)) }),
    }),
  ];
};

import { z } from 'zod';
import type { CurrencyOf } from '#fields/body-fields.ts';
import { entityParams, reorderBody, toggleBody } from '#contracts/management.contract.ts';
import type { DatedCommand } from '#entities/dated-rule.ts';
import { admin, created, noContent, ok, route, type Route } from '#http/route.ts';
import { management } from '#http/surfaces/management.ts';
import type { CommandMeta } from './command-engine.ts';
import { idOfCreated, stepMeta } from './command-meta.ts';
import type { EntityActions, Saved } from './entity.actions.ts';
import { metaOf } from './request-meta.ts';

export const managementPath = management.mountPoints[0];

/** A resource as it is after a change. */
export const showSaved =
  <Fields extends object, New>({ show }: EntityActions<Fields, New>) =>
  ({ entity }: Saved<Fields>): object =>
    show(entity);

/** A resource, as far as its requests are concerned. */
interface Resource<New, Changes, Kept extends { readonly position: number }> {
  readonly file: string;
  readonly path: string;
  readonly noun: string;
  readonly response: z.ZodType;
  readonly actions: {
    create(id: string, given: New, meta: CommandMeta): Promise<Kept>;
    change(id: string, given: Changes, meta: CommandMeta): Promise<Kept>;
    /** Returns the position. */
    remove(id: string, meta: CommandMeta): Promise<number>;
  };
  readonly show: (saved: Kept) => object;
  /** Where the answer of a creation says more. */
  readonly showCreated?: (saved: Kept) => object;
  /** Of a body that the schema refuses; `id` is null for a creation. */
  readonly ruleProblems?: (body: unknown, id: string | null) => Promise<readonly string[]>;
  readonly bodies: { readonly create: z.ZodType<New>; readonly change: z.ZodType<Changes> };
  readonly summaries: { readonly create: string; readonly change: string; readonly remove: string };
  readonly furtherErrors?: { readonly change?: readonly string[]; readonly remove?: readonly string[] };
}

/** POST, PUT and DELETE of a resource. */
export const resourceRoutes = <New, Changes, Kept extends { readonly position: number }>({
  file,
  path,
  noun,
  response,
  actions,
  show,
  showCreated = show,
  ruleProblems = () => Promise.resolve([]),
  bodies,
  summaries,
  furtherErrors = {},
}: Resource<New, Changes, Kept>): readonly Route[] => {
  const common = { base: 'management', service: 'command', caller: admin, file } as const;
  return [
    route({
      ...common,
      method: 'POST',
      path,
      summary: summaries.create,
      schemas: { body: bodies.create },
      ruleProblems: ({ body }) => ruleProblems(body, null),
      response,
      status: 201,
      errors: ['invalid-request', 'value-taken'],
      isIdempotent: true,
      handle: async (request) => {
        const id = idOfCreated(noun, request);
        const saved = await actions.create(id, request.body, metaOf(request));
        const location = `${managementPath}${path}/${id}`;
        return created(location, showCreated(saved), { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/{id}`,
      summary: summaries.change,
      schemas: { params: entityParams, body: bodies.change },
      ruleProblems: ({ params, body }) => ruleProblems(body, (params as { id: string }).id),
      response,
      errors: ['invalid-request', 'entity-not-found', 'value-taken', ...(furtherErrors.change ?? [])],
      handle: async (request) => {
        const saved = await actions.change(request.params.id, request.body, metaOf(request));
        return ok(show(saved), { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: summaries.remove,
      schemas: { params: entityParams },
      errors: ['entity-not-found', ...(furtherErrors.remove ?? [])],
      handle: async (request) =>
        noContent({ position: await actions.remove(request.params.id, metaOf(request)) }),
    }),
  ];
};

/** PUT of the order of a kind that has one. */
const reorderRoutes = (actions: EntityActions): readonly Route[] => {
  const { path, noun, response, file, reordered } = actions.kind;
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
      response: z.object({ items: z.array(response) }),
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

/** POST that switches a thing on or off; its path and file come from its caller. */
export const toggleRoute = <Fields extends { readonly isEnabled: boolean }>(
  actions: EntityActions<Fields, Fields>,
  named: { readonly file: string; readonly path: `/${string}/{id}/toggle` },
): Route =>
  route({
    ...named,
    base: 'management',
    service: 'command',
    caller: admin,
    method: 'POST',
    summary: `Switch a ${actions.kind.noun} on or off`,
    schemas: { params: entityParams, body: toggleBody },
    response: actions.kind.response,
    errors: ['entity-not-found', 'invalid-request'],
    handle: async (request) => {
      const { isEnabled } = request.body;
      const saved = await actions.change(
        request.params.id,
        { isEnabled } as Partial<Fields>,
        metaOf(request),
      );
      return ok(showSaved(actions)(saved), { position: saved.position });
    },
  });

interface SwitchedActions<Fields extends object> {
  readonly kind: Pick<EntityActions['kind'], 'path' | 'noun' | 'response'>;
  send(id: string, command: DatedCommand, meta: CommandMeta): Promise<Saved<Fields>>;
  show(entity: Saved<Fields>['entity']): object;
}

/** POST …/activate and …/deactivate of rules with dates. */
export const switchRoutes = <Fields extends object>(
  actions: SwitchedActions<Fields>,
  file: string,
  verbs: readonly ('activate' | 'deactivate')[],
): readonly Route[] =>
  verbs.map((verb) =>
    route({
      base: 'management',
      service: 'command',
      caller: admin,
      file,
      method: 'POST',
      path: `${actions.kind.path}/{id}/${verb}`,
      summary: `Switch the ${actions.kind.noun} ${verb === 'activate' ? 'on' : 'off'}`,
      schemas: { params: entityParams },
      response: actions.kind.response,
      errors: ['entity-not-found'],
      handle: async (request) => {
        const type = verb === 'activate' ? 'Activate' : 'Deactivate';
        const saved = await actions.send(request.params.id, { type }, metaOf(request));
        return ok(actions.show(saved.entity), { position: saved.position });
      },
    }),
  );

/** POST, PUT and DELETE of a declared kind. */
export const entityCommandRoutes = (actions: EntityActions, currency: CurrencyOf): readonly Route[] => [
  ...singleRoutes(actions, currency),
  ...reorderRoutes(actions),
];

const singleRoutes = (actions: EntityActions, currency: CurrencyOf): readonly Route[] => {
  const { path, noun, response, file, remains, ...kind } = actions.kind;
  const show = showSaved(actions);
  return resourceRoutes({
    file,
    path,
    noun,
    response,
    actions,
    show,
    // A repeated command finds a thing that may have changed since.
    showCreated: (saved) => ({
      ...show(saved),
      ...(saved.hasChanged && kind.countedAtFirst(saved.entity.fields)),
    }),
    ruleProblems: actions.problemsBeside,
    bodies: { create: kind.createBody(currency), change: kind.changeBody(currency) },
    summaries: {
      create: `Create a ${noun}`,
      change: `Change a ${noun}: the given fields are replaced`,
      remove: `Delete a ${noun}${remains === null ? ' that nothing depends on' : `; ${remains} stays`}`,
    },
    furtherErrors: { remove: remains === null ? ['still-used'] : [] },
  });
};

import { idOfCreated } from '#command/engine/command-meta.ts';
import { managementPath } from '#command/engine/entity-routes.ts';
import type { Saved } from '#command/engine/entities.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import {
  changeDiscount,
  createDiscount,
  discountAnswer,
  discountSchema,
} from '#contracts/discounts.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import type { Discount } from '#events/discount.events.ts';
import { admin, created, noContent, ok, route, type Route } from '#http/route.ts';
import type { DiscountActions } from './discount.actions.ts';

const path = '/discounts';
const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
} as const;

const switchRoute = (
  verb: 'activate' | 'deactivate',
  actions: DiscountActions,
  show: (saved: Saved<Discount>) => unknown,
): Route =>
  route({
    ...common,
    method: 'POST',
    path: `${path}/{id}/${verb}`,
    summary: verb === 'activate' ? 'Switch a discount on' : 'Switch a discount off',
    schemas: { params: entityParams },
    answer: discountSchema,
    errors: ['entity-not-found'],
    handle: async (request) => {
      const saved = await actions[verb](request.params.id, metaOf(request));
      return ok(show(saved), { position: saved.position });
    },
  });

/** Discounts (docs/rules/discounts.md#rules). */
export const discountRoutes = (actions: DiscountActions, deps: CommandDeps): readonly Route[] => {
  const currency = () => deps.settings().storeCurrencyCode;
  const show = ({ entity }: Saved<Discount>) =>
    discountAnswer(entity, deps.reference.discounts.byId(entity.id)?.uses ?? 0, currency());
  return [
    route({
      ...common,
      method: 'POST',
      path,
      summary: 'Create a discount',
      schemas: { body: createDiscount(currency) },
      ruleProblems: ({ body }) => actions.problemsBeside(body, null),
      answer: discountSchema,
      status: 201,
      errors: ['invalid-request', 'value-taken'],
      isIdempotent: true,
      handle: async (request) => {
        const id = idOfCreated('discount', request);
        const saved = await actions.create(id, request.body, metaOf(request));
        return created(`${managementPath}${path}/${id}`, show(saved), { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/{id}`,
      summary: 'Change a discount: the given fields are replaced',
      schemas: { params: entityParams, body: changeDiscount(currency) },
      ruleProblems: ({ params, body }) => actions.problemsBeside(body, (params as { id: string }).id),
      answer: discountSchema,
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
      summary: 'Delete a discount; what it took off stays',
      schemas: { params: entityParams },
      errors: ['entity-not-found'],
      handle: async (request) =>
        noContent({ position: await actions.remove(request.params.id, metaOf(request)) }),
    }),
    switchRoute('activate', actions, show),
    switchRoute('deactivate', actions, show),
  ];
};

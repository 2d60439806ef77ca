import { idOfCreated } from '#command/engine/command-meta.ts';
import { managementPath } from '#command/engine/entity-routes.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams, type CurrencyOf } from '#contracts/management.contract.ts';
import { changeCustomer, createCustomer, customerAnswer, customerSchema } from '#entities/customer.entity.ts';
import { admin, created, noContent, ok, route, type Route } from '#http/route.ts';
import type { CustomerActions, SavedCustomer } from './customer.actions.ts';

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
} as const;

const path = '/customers';

/** Customers (docs/rules/customers.md#fields). Their lists are the projection service's. */
export const customerRoutes = (actions: CustomerActions, currency: CurrencyOf): readonly Route[] => {
  const show = ({ customer }: SavedCustomer) => customerAnswer(customer, currency());
  return [
    route({
      ...common,
      method: 'POST',
      path,
      summary: 'Create a customer',
      schemas: { body: createCustomer(currency) },
      answer: customerSchema,
      status: 201,
      errors: ['invalid-request', 'value-taken'],
      isIdempotent: true,
      handle: async (request) => {
        const id = idOfCreated('customer', request);
        const saved = await actions.create(id, request.body, metaOf(request));
        return created(`${managementPath}${path}/${id}`, show(saved), { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/{id}`,
      summary: 'Change a customer: the given fields are replaced',
      schemas: { params: entityParams, body: changeCustomer(currency) },
      answer: customerSchema,
      errors: ['invalid-request', 'entity-not-found', 'value-taken', 'conflict'],
      handle: async (request) => {
        const saved = await actions.change(request.params.id, request.body, metaOf(request));
        return ok(show(saved), { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Delete a customer who has no invoice',
      schemas: { params: entityParams },
      errors: ['entity-not-found', 'still-used'],
      handle: async (request) =>
        noContent({ position: await actions.remove(request.params.id, metaOf(request)) }),
    }),
  ];
};

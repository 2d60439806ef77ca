import { resourceRoutes } from '#command/engine/entity-routes.ts';
import type { CurrencyOf } from '#fields/body-fields.ts';
import {
  changeCustomer,
  createCustomer,
  customerResponse,
  customerSchema,
} from '#entities/customer.entity.ts';
import type { Route } from '#http/route.ts';
import type { CustomerActions } from './customer.actions.ts';

/** Customers (docs/rules/customers.md#fields). Their lists are the projection service's. */
export const customerRoutes = (actions: CustomerActions, currency: CurrencyOf): readonly Route[] =>
  resourceRoutes({
    file: import.meta.url,
    path: '/customers',
    noun: 'customer',
    response: customerSchema,
    actions,
    show: ({ customer }) => customerResponse(customer, currency()),
    bodies: { create: createCustomer(currency), change: changeCustomer(currency) },
    summaries: {
      create: 'Create a customer',
      change: 'Change a customer: the given fields are replaced',
      remove: 'Delete a customer who has no invoice',
    },
    furtherErrors: { remove: ['still-used'] },
  });

import type { CommandModule } from '#command/engine/module.ts';
import { createCustomerActions } from './customer.actions.ts';

export const customers: CommandModule = {
  name: 'customers',
  create: (deps) => ({ actions: { customers: createCustomerActions(deps) } }),
};

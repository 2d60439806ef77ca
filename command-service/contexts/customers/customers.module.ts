import type { CommandModule } from '#command/engine/module.ts';
import { createCustomerActions } from './customer.actions.ts';
import { customerNotices } from './customer.notices.ts';

export const customers: CommandModule = {
  name: 'customers',
  notices: [customerNotices],
  create: (deps) => ({ actions: { customers: createCustomerActions(deps) } }),
};

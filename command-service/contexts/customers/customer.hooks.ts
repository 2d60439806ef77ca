import { commandHooks } from '#command/engine/hooks.ts';
import type { CustomerCommand } from './customer.commands.ts';
import type { CustomerState } from './customer.state.ts';

const fieldsOf = (state: CustomerState): object => (state.status === 'known' ? state.fields : {});

/** What hooks are asked before a customer becomes known, changes or goes (docs/guides/hooks.md#notifications). */
export const customerHooks = commandHooks<CustomerState, CustomerCommand>('customer', {
  RegisterCustomer: ({ type: _, ...details }, { status }, id) => [
    status === 'known' ? 'CustomerSavingNotification' : 'CustomerCreatingNotification',
    { id, ...details },
  ],
  CreateCustomer: ({ fields }, _, id) => ['CustomerCreatingNotification', { ...fields, id }],
  ChangeCustomer: ({ changes }, state, id) => [
    'CustomerSavingNotification',
    { ...fieldsOf(state), id, changes },
  ],
  DeleteCustomer: (_, state, id) => ['CustomerDeletingNotification', { ...fieldsOf(state), id }],
});

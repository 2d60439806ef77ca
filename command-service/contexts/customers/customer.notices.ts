import { noticesOf } from '#command/engine/hooks.ts';
import type { CustomerCommand } from './customer.commands.ts';
import type { CustomerState } from './customer.state.ts';

/** What hooks are asked before a customer becomes known or changes (docs/hooks.md#notifications). */
export const customerNotices = noticesOf<CustomerState, CustomerCommand>('customer', {
  RegisterCustomer: ({ type: _, ...details }, { status }, id) => [
    status === 'unknown' ? 'CustomerCreatingNotification' : 'CustomerSavingNotification',
    { id, ...details },
  ],
});

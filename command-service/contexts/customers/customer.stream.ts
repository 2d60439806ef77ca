import type { Kind } from '#command/engine/streams.ts';
import type { CustomerEvent } from '#events/customer.events.ts';
import type { CustomerCommand } from './customer.commands.ts';
import { customerDecider } from './customer.decider.ts';
import type { CustomerState } from './customer.state.ts';

/** Customers, as processes and other contexts command them. */
export const customerStream: Kind<CustomerState, CustomerCommand, CustomerEvent> = {
  decider: customerDecider,
};

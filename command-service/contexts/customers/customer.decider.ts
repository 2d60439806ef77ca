import { customerEvents, type CustomerEvent } from '#events/customer.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { CustomerState } from './customer.state.ts';
import type { CustomerCommand, RecordCustomerSale, RegisterCustomer } from './customer.commands.ts';

const { CustomerAcceptedMarketing, CustomerRegistered, CustomerSaleRecorded } = customerEvents.create;

const register = (state: CustomerState, command: RegisterCustomer): CustomerEvent[] => {
  const { email, firstName, lastName, acceptsMarketing } = command;
  if (state.status === 'unknown')
    return [CustomerRegistered({ email, firstName, lastName, acceptsMarketing })];
  return acceptsMarketing && !state.acceptsMarketing ? [CustomerAcceptedMarketing({})] : [];
};

const recordSale = (
  state: CustomerState,
  { invoiceId, businessDay }: RecordCustomerSale,
): CustomerEvent[] => {
  if (state.status === 'unknown') throw new Rejection('customer-not-found', 'There is no such customer.');
  if (invoiceId in state.sales) return [];
  return [CustomerSaleRecorded({ invoiceId, businessDay, previousSaleDay: state.lastSaleDay })];
};

const latest = (a: string | null, b: string): string => (a !== null && a > b ? a : b);

/** Customers: people known by their e-mail address. */
export const customerDecider: Decider<CustomerState, CustomerCommand, CustomerEvent> = {
  category: 'customer',
  initial: () => ({ status: 'unknown' }),
  decide: (state, command) => {
    switch (command.type) {
      case 'RegisterCustomer':
        return register(state, command);
      case 'RecordCustomerSale':
        return recordSale(state, command);
    }
  },
  on: {
    CustomerRegistered: (_, { data: { acceptsMarketing } }) => ({
      status: 'known',
      acceptsMarketing,
      lastSaleDay: null,
      sales: {},
    }),
    CustomerAcceptedMarketing: (state) =>
      state.status === 'known' ? { ...state, acceptsMarketing: true } : state,
    CustomerSaleRecorded: (state, { data: { invoiceId, businessDay, previousSaleDay } }) => {
      if (state.status === 'unknown') return state;
      state.sales[invoiceId] = previousSaleDay;
      return { ...state, lastSaleDay: latest(state.lastSaleDay, businessDay) };
    },
  },
  remembersCommands: true,
  subject: (id) => ({ id, customerId: id }),
};

import { customerEvents, type CustomerDetails } from '#events/customer.events.ts';

/** Ada, of whom nothing is known but her name and address. */
export const ada: CustomerDetails = {
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  memberKey: null,
  addresses: null,
  acceptsMarketing: false,
  isFlagged: false,
  hasAccountTerms: false,
  paymentTermsDays: null,
  creditLimit: null,
  tags: [],
};

export const registered = (changes: Partial<CustomerDetails> = {}, at: string | null = null) =>
  customerEvents.create.CustomerRegistered({ ...ada, ...changes, at });

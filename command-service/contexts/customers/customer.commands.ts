import type { CommandMeta } from '#command/engine/command-engine.ts';

/** Makes a customer known; for a known one only the consent to marketing can grow. */
export interface RegisterCustomer {
  readonly type: 'RegisterCustomer';
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly acceptsMarketing: boolean;
}

/** Remembers a confirmed sale; the invoice is the business key of a repeat. */
export interface RecordCustomerSale {
  readonly type: 'RecordCustomerSale';
  readonly invoiceId: string;
  readonly businessDay: string;
}

export type CustomerCommand = RegisterCustomer | RecordCustomerSale;

/** What neighbours ask of customers beside these commands. */
export interface CustomersForNeighbours {
  /** The customer with an e-mail address, made known if need be; the id. */
  ensure(details: Omit<RegisterCustomer, 'type'>, meta: CommandMeta): Promise<string>;
}

import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CustomerDetails } from '#events/customer.events.ts';

/** Makes a customer known; for a known one only the consent to marketing can grow. */
export interface RegisterCustomer {
  readonly type: 'RegisterCustomer';
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly acceptsMarketing: boolean;
  /** Whose addresses they are. */
  readonly basketId?: string;
}

/** Replaces the given fields. */
export interface ChangeCustomer {
  readonly type: 'ChangeCustomer';
  readonly changes: Partial<CustomerDetails>;
  /** How often an e-mail address had been given up when the new one was claimed; left out where none was. */
  readonly givenUpBefore?: number;
}

/** Remembers a confirmed sale; the invoice is the business key of a repeat. */
export interface RecordCustomerSale {
  readonly type: 'RecordCustomerSale';
  readonly invoiceId: string;
  readonly businessDay: string;
  /** Store currency. */
  readonly total: number;
  readonly placedAt: string;
  readonly countryCode: string | null;
}

/** Remembers that there is an invoice, though nobody paid it: an order names the customer for ever. */
export interface NoteExpiredInvoice {
  readonly type: 'NoteExpiredInvoice';
  readonly invoiceId: string;
}

/** Puts the customer in a manual segment. */
export interface JoinSegment {
  readonly type: 'JoinSegment';
  readonly segmentId: string;
  readonly notes: string | null;
}

export interface LeaveSegment {
  readonly type: 'LeaveSegment';
  readonly segmentId: string;
}

export type CustomerCommand =
  | RegisterCustomer
  /** A customer with everything that staff say of one. */
  | { readonly type: 'CreateCustomer'; readonly fields: CustomerDetails }
  | ChangeCustomer
  /** An e-mail address that is claimed for the customer, and is not the customer's, may go to somebody else. */
  | { readonly type: 'GiveUpEmail'; readonly email: string }
  | { readonly type: 'DeleteCustomer' }
  /** Nothing is left of the account of a deleted customer. */
  | { readonly type: 'NoteAccountRemoved' }
  | RecordCustomerSale
  | NoteExpiredInvoice
  | JoinSegment
  | LeaveSegment;

/** A customer who may buy on account (docs/rules/purchase-orders.md). */
export interface CustomerAccount {
  readonly customerId: string;
  readonly paymentTermsDays: number | null;
}

/** What neighbours ask of customers beside these commands. */
export interface CustomersForNeighbours {
  /** The customer with an e-mail address, made known if need be; the id. */
  ensure(details: Omit<RegisterCustomer, 'type'>, meta: CommandMeta): Promise<string>;
  /**
   * Whether the customer is one basket's own making: its addresses made them known, and no invoice of another basket
   * names them.
   */
  isMadeBy(customerId: string, basketId: string): Promise<boolean>;
  /** The segments that a customer is in at this moment: none for somebody whom the shop does not know. */
  segmentsOf(customerId: string): Promise<readonly string[]>;
  /** Null for a customer without account terms. */
  accountOf(customerId: string): Promise<CustomerAccount | null>;
}

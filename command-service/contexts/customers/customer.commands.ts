import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Admission } from '#kernel/admission.ts';
import type { CustomerAddress, CustomerDetails } from '#events/customer.events.ts';
import type { SourceType } from '#events/invoice.fields.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isOverLimit } from '#values/account-terms.ts';
import type { Minor } from '#values/money.ts';

/** Makes a customer known; for a known one only the consent to marketing can grow. */
export interface RegisterCustomer {
  readonly type: 'RegisterCustomer';
  readonly email: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
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
  /** The given addresses join those that are known, by their keys. */
  readonly keepsAddresses?: true;
}

/** Remembers a confirmed sale; the invoice is the business key of a repeat. */
export interface RecordCustomerSale {
  readonly type: 'RecordCustomerSale';
  readonly invoiceId: string;
  readonly businessDay: string;
  /** Where it was sold. */
  readonly sourceType: SourceType;
  /** Store currency. */
  readonly total: number;
  readonly placedAt: string;
  readonly countryCode: string | null;
}

/** Takes a sale back that was cancelled or deleted; the invoice is the business key of a repeat. */
export interface CancelCustomerSale {
  readonly type: 'CancelCustomerSale';
  readonly invoiceId: string;
}

/** What a sale comes to once it is edited; the number of the edit is the business key of a repeat. */
export interface ChangeCustomerSale {
  readonly type: 'ChangeCustomerSale';
  readonly invoiceId: string;
  readonly version: number;
  /** Store currency. */
  readonly total: Minor;
}

/** Remembers that there is an invoice, even unpaid: an order names its customer for ever. */
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

/** Takes a sale on account into what the customer owes. Minor units of the store's currency. */
export interface ClaimCredit {
  readonly type: 'ClaimCredit';
  readonly invoiceId: string;
  readonly amount: Minor;
  /** ISO instant: when it is due follows from it. */
  readonly soldAt: string;
}

/** What a confirmed sale still has to bring in. */
export interface SetOutstanding {
  readonly type: 'SetOutstanding';
  readonly invoiceId: string;
  readonly amount: Minor;
  /** ISO instant; null where the customer's terms name no days. */
  readonly dueDate: string | null;
  /** Revision of the invoice that says so: what an earlier one says comes too late. */
  readonly asOf: number;
}

/** A sale on account that did not come to be. */
export interface ReleaseCredit {
  readonly type: 'ReleaseCredit';
  readonly invoiceId: string;
}

/** Begins the forgetting of a customer. `force`: although confirmed sales still have to bring in money. */
export interface StartForgetting {
  readonly type: 'StartForgetting';
  readonly force: boolean;
  /** Someone who typed an e-mail address and was never a customer. */
  readonly isGuest?: true;
  /** Of a guest: how many confirmed sales still have to bring in money; a customer's own stream knows theirs. */
  readonly salesOwed?: number;
  /** The stream of the agent's session or cart that names them. */
  readonly namedIn?: string;
}

/** Says what streams have been forgotten with the customer; the part identifies a repeat. */
export interface NoteForgotten {
  readonly type: 'NoteForgotten';
  readonly part: number;
  readonly basketIds: readonly string[];
  readonly recordIds: readonly string[];
  readonly invoiceIds: readonly string[];
  readonly isLast: boolean;
}

export type CustomerCommand =
  | StartForgetting
  | NoteForgotten
  | RegisterCustomer
  /** All that is held about the customer is about to be shown. */
  | { readonly type: 'NotePersonalDataRequest' }
  /** A customer with everything that staff say of one. */
  | { readonly type: 'CreateCustomer'; readonly fields: CustomerDetails }
  | ChangeCustomer
  /** Frees an e-mail address that is claimed for the customer but not in use. */
  | { readonly type: 'GiveUpEmail'; readonly email: string }
  | { readonly type: 'DeleteCustomer' }
  /** Nothing is left of the account of a deleted customer. */
  | { readonly type: 'NoteAccountRemoved' }
  | RecordCustomerSale
  | CancelCustomerSale
  | ChangeCustomerSale
  | NoteExpiredInvoice
  | ClaimCredit
  | SetOutstanding
  | ReleaseCredit
  | JoinSegment
  | LeaveSegment;

/** A customer who may buy on account (docs/rules/purchase-orders.md). Minor units of the store's currency. */
export interface CustomerAccount {
  readonly customerId: string;
  readonly paymentTermsDays: number | null;
  /** Null: without limit. */
  readonly creditLimit: Minor | null;
  /** What confirmed sales still have to bring in. */
  readonly outstanding: Minor;
}

export const withoutTerms = (): Rejection =>
  new Rejection('account-terms-required', 'Purchase orders are for signed-in customers with account terms.');

/** Exactly the limit is within it. Errors: Rejection `credit-limit-exceeded`. */
export const keepWithinCredit = (
  { creditLimit, outstanding }: Pick<CustomerAccount, 'creditLimit' | 'outstanding'>,
  amount: Minor,
): void => {
  if (!isOverLimit({ creditLimit, outstanding: outstanding + amount })) return;
  throw new Rejection(
    'credit-limit-exceeded',
    'This order would take you over your credit limit. Pay it otherwise, or settle an open invoice first.',
  );
};

/** Someone who is forgotten, or about to be. */
export interface ForgottenPerson {
  readonly id: string;
  /** ISO instant; null while it is under way. */
  readonly forgottenAt: string | null;
  readonly position: number;
}

export interface CustomersApi {
  /**
   * The customer with an e-mail address, made known if need be; the id. `admission`: asked where that is a stranger's
   * doing. Errors: the refusal of one more.
   */
  ensure(details: Omit<RegisterCustomer, 'type'>, meta: CommandMeta, admission?: Admission): Promise<string>;
  /** The customer with an e-mail address; null: there is none. Makes nobody known. */
  withEmail(email: string): Promise<string | null>;
  /** None for an unknown customer. */
  addressesOf(customerId: string): Promise<readonly CustomerAddress[]>;
  /**
   * Adds to what is known of where a customer lives: what is there already stays, and what is more than a customer can
   * have is left out. Errors: `entity-not-found`.
   */
  keepAddresses(customerId: string, addresses: readonly CustomerAddress[], meta: CommandMeta): Promise<void>;
  /** The id of the customer with an e-mail address; of one who is not known yet, that which `ensure` gives them. */
  idFor(email: string, meta: CommandMeta): Promise<string>;
  /**
   * Whether the customer is one basket's own making: its addresses made them known, and no invoice of another basket
   * names them.
   */
  isMadeBy(customerId: string, basketId: string): Promise<boolean>;
  /** Whether no other customer has the e-mail address. */
  isFreeFor(customerId: string, email: string): Promise<boolean>;
  /** Gives a customer another e-mail address. Errors: `entity-not-found`, `value-taken`. */
  moveTo(customerId: string, email: string, meta: CommandMeta): Promise<void>;
  /** The segments a customer is in now: none for an unknown customer. */
  segmentsOf(customerId: string): Promise<readonly string[]>;
  /** Null for a customer without account terms. */
  accountOf(customerId: string): Promise<CustomerAccount | null>;
}

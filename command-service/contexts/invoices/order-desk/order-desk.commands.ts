import type { StockHold } from '#events/checkout.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { Refusal } from '#kernel/process.ts';
import type { Address } from '#values/address.ts';
import type { Reminder } from '#values/reminders.ts';

/** Begins a manual order; its placement is the business key of a repeat. */
export interface RequestManualOrder {
  readonly type: 'RequestManualOrder';
  readonly placementId: string;
  readonly invoiceNumbersRevision: number;
  readonly content: InvoiceContent;
  readonly holds: readonly StockHold[];
  readonly email: string;
  readonly billingAddress: Address;
  readonly shippingAddress: Address;
}

/** Makes the invoice of a manual order that was requested, and announces its sale. */
export interface CreateManualInvoice {
  readonly type: 'CreateManualInvoice';
  readonly invoiceNumber: string;
  readonly previousSaleDay: string | null;
}

/** Ends a manual order of which something cannot be had. */
export interface RefuseManualOrder extends Refusal {
  readonly type: 'RefuseManualOrder';
}

/** What a refused order had reserved has been given back. */
export interface ClearManualOrder {
  readonly type: 'ClearManualOrder';
}

interface AddressChange {
  /** These fields replace those of the address. */
  readonly changes: Partial<Address>;
  readonly by: string;
}

export interface ChangeBillingAddress extends AddressChange {
  readonly type: 'ChangeBillingAddress';
}

export interface ChangeShippingAddress extends AddressChange {
  readonly type: 'ChangeShippingAddress';
}

export type ChangeInvoiceAddress = ChangeBillingAddress | ChangeShippingAddress;

/** Null takes the number off. */
export interface ChangePurchaseOrderNumber {
  readonly type: 'ChangePurchaseOrderNumber';
  readonly purchaseOrderNumber: string | null;
  readonly by: string;
}

/** Writes a note; its id is the business key of a repeat. */
export interface NoteInvoice {
  readonly type: 'NoteInvoice';
  readonly noteId: string;
  readonly text: string;
  readonly isVisibleToCustomer: boolean;
  readonly author: string;
  readonly authorId: string;
}

/** The mail is on its way. Kind and number are the business key of a repeat. */
export interface NoteReminder extends Reminder {
  readonly type: 'NoteReminder';
  readonly dayDue: string;
}

export type OrderDeskCommand =
  | RequestManualOrder
  | CreateManualInvoice
  | RefuseManualOrder
  | ClearManualOrder
  | ChangeInvoiceAddress
  | ChangePurchaseOrderNumber
  | NoteInvoice
  | NoteReminder;

import type { StockHold } from '#events/checkout.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { Refusal } from '#kernel/process.ts';
import type { Address } from '#values/address.ts';
import type { Reminder } from '#values/reminders.ts';

/** Begins a manual order. Its placement identifies a repeat. */
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

/** Creates the invoice of a requested manual order and announces its sale. */
export interface CreateManualInvoice {
  readonly type: 'CreateManualInvoice';
  readonly invoiceNumber: string;
}

/** Ends a manual order with unavailable goods. */
export interface RefuseManualOrder extends Refusal {
  readonly type: 'RefuseManualOrder';
}

/** Notes that what a refused order had reserved has been released. */
export interface ClearManualOrder {
  readonly type: 'ClearManualOrder';
}

interface AddressChange {
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

/** Null removes the number. */
export interface ChangePurchaseOrderNumber {
  readonly type: 'ChangePurchaseOrderNumber';
  readonly purchaseOrderNumber: string | null;
  readonly by: string;
}

/** Writes a note. Its id identifies a repeat. */
export interface NoteInvoice {
  readonly type: 'NoteInvoice';
  readonly noteId: string;
  readonly text: string;
  readonly isVisibleToCustomer: boolean;
  readonly author: string;
  readonly authorId: string;
}

/** Notes that the reminder is on its way. Kind and number identify a repeat. */
export interface NoteReminder extends Reminder {
  readonly type: 'NoteReminder';
  readonly dayDue: string;
}

/** Nothing is kept any more of who bought it: the key of its customer is destroyed. */
export interface ForgetInvoice {
  readonly type: 'ForgetInvoice';
}

export type OrderDeskCommand =
  | ForgetInvoice
  | RequestManualOrder
  | CreateManualInvoice
  | RefuseManualOrder
  | ClearManualOrder
  | ChangeInvoiceAddress
  | ChangePurchaseOrderNumber
  | NoteInvoice
  | NoteReminder;

import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { Address } from '#values/address.ts';

/** Creates the invoice of a placement; the placement is the business key of a repeat. */
export interface CreateInvoice {
  readonly type: 'CreateInvoice';
  readonly placementId: string;
  readonly invoiceNumber: string;
  readonly content: InvoiceContent;
  readonly email: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
}

/** Closes an unpaid invoice because its basket is being placed again. */
export interface SupersedeInvoice {
  readonly type: 'SupersedeInvoice';
  readonly placementId: string;
}

/** Announces the sale once everything is paid. */
export interface ConfirmSale {
  readonly type: 'ConfirmSale';
  readonly previousSaleDay: string | null;
}

/** Keeps the number of an invoice that could not be created. */
export interface VoidInvoice {
  readonly type: 'VoidInvoice';
  readonly placementId: string;
  readonly invoiceNumber: string;
  readonly businessDay: string;
  readonly reason: string;
}

/** Cancels an invoice that nobody paid in time; changes nothing while it has not expired. */
export interface ExpireInvoice {
  readonly type: 'ExpireInvoice';
}

export type InvoiceCommand = CreateInvoice | SupersedeInvoice | ConfirmSale | VoidInvoice | ExpireInvoice;

import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Refusal } from '#kernel/process.ts';
import type { Address } from '#values/address.ts';

/** A manual order that has no number yet: its invoice is being made (docs/rules/manual-orders.md#steps). */
export interface RequestedInvoice extends Omit<
  EventOfType<InvoiceEvent, 'ManualOrderRequested'>['data'],
  'content'
> {
  readonly status: 'requested';
  readonly content: InvoiceContent;
}

/** A manual order that could not be had. */
export interface RefusedInvoice extends Pick<RequestedInvoice, 'placementId' | 'holds'> {
  readonly status: 'refused';
  readonly refusal: Refusal;
  /** What it may have reserved is not given back yet. */
  readonly isToBeCleared: boolean;
}

/** What staff can put right of an invoice; null once it is forgotten. */
interface Written {
  readonly email: string | null;
  readonly customerName: string | null;
  readonly billingCountryCode: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
}

export const orderRequested = ({
  data,
}: EventOfType<InvoiceEvent, 'ManualOrderRequested'>): RequestedInvoice => ({ status: 'requested', ...data });

export const orderRefusedFor = (
  { placementId, holds }: RequestedInvoice,
  { data: { code, message, details } }: EventOfType<InvoiceEvent, 'ManualOrderRefused'>,
): RefusedInvoice => ({
  status: 'refused',
  placementId,
  ...(holds ? { holds } : {}),
  refusal: { code, message, details },
  isToBeCleared: true,
});

export const billingAddressChanged = <Invoice extends Written>(
  invoice: Invoice,
  { data: { address } }: EventOfType<InvoiceEvent, 'BillingAddressChanged'>,
): Invoice => ({
  ...invoice,
  billingAddress: address,
  customerName: address?.name ?? null,
  billingCountryCode: address?.countryCode ?? null,
});

export const shippingAddressChanged = <Invoice extends Written>(
  invoice: Invoice,
  { data: { address } }: EventOfType<InvoiceEvent, 'ShippingAddressChanged'>,
): Invoice => ({ ...invoice, shippingAddress: address });

import type { InvoiceContent } from '#events/invoice.fields.ts';
import { defined } from '#kernel/defined.ts';
import type { Refusal } from '#kernel/process.ts';
import type { Address } from '#values/address.ts';
import { correctedEmail } from '#values/corrected-email.ts';
import type { InvoiceEventOf, Part } from '../invoice-part.state.ts';

/** A manual order whose invoice is being created: it has no number yet (docs/rules/manual-orders.md#steps). */
export interface RequestedInvoice extends Omit<InvoiceEventOf<'ManualOrderRequested'>['data'], 'content'> {
  readonly status: 'requested';
  readonly content: InvoiceContent;
}

export interface RefusedInvoice extends Pick<RequestedInvoice, 'placementId' | 'holds'> {
  readonly status: 'refused';
  readonly refusal: Refusal;
  /** What it may have reserved is still to be released. */
  readonly isToBeCleared: boolean;
}

/** What staff can correct; null once erased. */
export interface Written {
  /** Who bought it is forgotten. */
  readonly isForgotten: boolean;
  readonly email: string | null;
  readonly customerName: string | null;
  readonly billingCountryCode: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
}

export const orderRequested = ({ data }: InvoiceEventOf<'ManualOrderRequested'>): RequestedInvoice => ({
  status: 'requested',
  ...data,
});

export const orderRefusedFor = (
  { placementId, holds }: RequestedInvoice,
  { data: { code, message, details } }: InvoiceEventOf<'ManualOrderRefused'>,
): RefusedInvoice => ({
  status: 'refused',
  placementId,
  ...defined({ holds }),
  refusal: { code, message, details },
  isToBeCleared: true,
});

export const onAddressEvents = {
  BillingAddressChanged: ({ email, billingAddress }, { data: { address } }) => ({
    billingAddress: address,
    email: correctedEmail(email, billingAddress, address),
    customerName: address?.name ?? null,
    billingCountryCode: address?.countryCode ?? null,
  }),
  ShippingAddressChanged: (_, { data: { address } }) => ({ shippingAddress: address }),
  InvoiceForgotten: () => ({
    isForgotten: true,
    email: null,
    customerName: null,
    billingAddress: null,
    shippingAddress: null,
  }),
} satisfies Part<Written>;

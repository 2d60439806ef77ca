import { Rejection } from '#kernel/rejection.ts';
import { stranger } from './anyone.ts';
import type { Caller } from './caller.ts';

/**
 * Who has paid the invoice that the path names, by the cookie they got for it. Every fault of the cookie is refused
 * alike, before anything else is looked at.
 */
export const confirmation: Caller = {
  kind: 'confirmation',
  security: [{ confirmationCookie: [] }],
  schemes: { confirmationCookie: { type: 'apiKey', in: 'cookie', name: 'shop_confirmation' } },
  errors: ['not-yours'],
  admit: ({ cookies }, { hasPaid }, params) => {
    const { invoiceId = '' } = params as { readonly invoiceId?: string };
    if (hasPaid(cookies, invoiceId)) return stranger;
    throw new Rejection('not-yours', 'This order belongs to another customer.');
  },
};

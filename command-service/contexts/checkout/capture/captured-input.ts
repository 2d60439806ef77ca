import { isEmail } from '#values/email-address.ts';
import { countryName, isCountry } from '#values/region.ts';
import type { GivenAddress, GivenAddresses } from '../check-address.ts';
import type { AddressParts, CaptureAddress } from '../checkout.commands.ts';

const MAX_LENGTH = 250;

const clean = (text: string | null | undefined): string => (text?.trim() ?? '').slice(0, MAX_LENGTH);

const plainFields = ['company', 'addressOne', 'townCity', 'countyState', 'postalCode', 'phone'] as const;
const codeFields = ['countryCode', 'regionCode'] as const;

/** What of an address has been typed; nothing of it is checked. What is empty says nothing, but for the second line. */
const partsOf = (given: GivenAddress | null | undefined): AddressParts | null => {
  if (!given) return null;
  const parts: Record<string, string | null> = {};
  const name = clean(given.name) || clean([clean(given.firstName), clean(given.lastName)].join(' '));
  if (name !== '') parts['name'] = name;
  for (const field of plainFields) if (clean(given[field]) !== '') parts[field] = clean(given[field]);
  for (const field of codeFields)
    if (clean(given[field]) !== '') parts[field] = clean(given[field]).toUpperCase();
  const { countryCode } = parts;
  if (countryCode) parts['country'] = isCountry(countryCode) ? countryName(countryCode) : '';
  if (typeof given.addressTwo === 'string') parts['addressTwo'] = clean(given.addressTwo) || null;
  return parts;
};

/** What a shopper has typed of their addresses so far. An invalid e-mail address is ignored. */
export const capturedInput = (given: GivenAddresses): Omit<CaptureAddress, 'type' | 'customerId'> => {
  const email = clean(given.email);
  return {
    email: isEmail(email) ? email : null,
    billing: partsOf(given.billingAddress),
    shipping: partsOf(given.shippingAddress),
    shippingSameAsBilling: given.shippingSameAsBilling ?? null,
    acceptsMarketing: given.acceptsMarketing ?? null,
  };
};

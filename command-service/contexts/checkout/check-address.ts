import type { Address } from '#values/address.ts';
import { isEmail } from '#values/email-address.ts';
import { hasPostalCodes } from '#values/postal-codes.ts';
import { countryName, findRegion, isCountry, regionOfAddress } from '#values/region.ts';
import type { GivenAddress, Text } from './checkout.commands.ts';

/** What the rules of an address depend on (docs/rules/checkout.md#addresses). */
export interface AddressRules {
  /** True for a guest with something that is sold to account holders only. */
  readonly needsAccount: boolean;
  readonly billingPhoneRequired: boolean;
  /** Countries to which the shop ships. */
  readonly shipsTo: (countryCode: string) => boolean;
}

export type CheckedAddresses =
  | {
      readonly kind: 'valid';
      readonly email: string;
      readonly billingAddress: Address;
      readonly shippingAddress: Address;
      readonly shippingSameAsBilling: boolean;
      readonly acceptsMarketing: boolean;
    }
  | { readonly kind: 'invalid'; readonly errors: Readonly<Record<string, string>> };

/** E-mail address and addresses as given. */
export interface GivenAddresses {
  readonly email?: Text;
  readonly billingAddress?: GivenAddress | null | undefined;
  readonly shippingAddress?: GivenAddress | null | undefined;
  readonly shippingSameAsBilling?: boolean | null | undefined;
  readonly acceptsMarketing?: boolean | null | undefined;
  readonly password?: Text;
}

type Problems = Record<string, string>;

const MAX_LENGTH = 250;
const phoneShape = /^\+?[\d\s()-]*\d[\d\s()-]*$/;

const clean = (text: Text): string | null => {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
};

const upper = (text: Text): string | null => clean(text)?.toUpperCase() ?? null;

const nameOf = (input: GivenAddress): string | null =>
  clean(input.name) ?? clean([clean(input.firstName), clean(input.lastName)].filter(Boolean).join(' '));

const regionOf = (
  input: GivenAddress,
  countryCode: string,
  prefix: string,
  problems: Problems,
): string | null => {
  const regionCode = upper(input.regionCode);
  const found = regionOfAddress({ countryCode, regionCode, countyState: clean(input.countyState) });
  if (found === undefined)
    problems[`${prefix}.regionCode`] = `There is no region ${regionCode} in ${countryName(countryCode)}.`;
  return found ?? null;
};

const required: readonly (readonly [keyof GivenAddress, string])[] = [
  ['addressOne', 'Enter the first line of the address.'],
  ['townCity', 'Enter the town or city.'],
  ['countryCode', 'Choose a country.'],
];

const checkAddress = (
  input: GivenAddress,
  prefix: string,
  email: string | null,
  problems: Problems,
): Address => {
  if (nameOf(input) === null) problems[`${prefix}.name`] = 'Enter the name.';
  for (const [field, message] of required) {
    if (clean(input[field]) === null) problems[`${prefix}.${field}`] = message;
  }
  for (const [field, value] of Object.entries(input)) {
    if (typeof value === 'string' && value.trim().length > MAX_LENGTH) {
      problems[`${prefix}.${field}`] = `Use at most ${MAX_LENGTH} characters.`;
    }
  }
  const countryCode = upper(input.countryCode) ?? '';
  if (clean(input.postalCode) === null && hasPostalCodes(countryCode))
    problems[`${prefix}.postalCode`] = 'Enter the postal code.';
  const isKnownCountry = countryCode !== '' && isCountry(countryCode);
  if (countryCode !== '' && !isKnownCountry) {
    problems[`${prefix}.countryCode`] =
      `${countryCode.slice(0, 10)} is not a country code (ISO 3166-1, two letters).`;
  }
  const phone = clean(input.phone);
  if (phone !== null && phone.length <= MAX_LENGTH && !phoneShape.test(phone)) {
    problems[`${prefix}.phone`] =
      'A phone number has digits, spaces, hyphens, brackets and at most a leading +.';
  }
  const regionCode = isKnownCountry ? regionOf(input, countryCode, prefix, problems) : null;
  const catalogued = regionCode === null ? undefined : findRegion(countryCode, regionCode);
  return {
    name: nameOf(input) ?? '',
    company: clean(input.company),
    addressOne: clean(input.addressOne) ?? '',
    addressTwo: clean(input.addressTwo),
    townCity: clean(input.townCity) ?? '',
    countyState: clean(input.countyState) ?? catalogued?.name ?? null,
    regionCode,
    postalCode: clean(input.postalCode) ?? '',
    countryCode,
    country: isKnownCountry ? countryName(countryCode) : '',
    email,
    phone,
  };
};

export type CheckedAddress =
  | { readonly kind: 'valid'; readonly address: Address }
  | { readonly kind: 'invalid'; readonly errors: Readonly<Record<string, string>> };

/** One address by itself, whose problems are each under its field. */
export const checkOneAddress = (given: GivenAddress): CheckedAddress => {
  const problems: Problems = {};
  const address = checkAddress(given, 'address', null, problems);
  const errors = Object.entries(problems).map(([path, problem]) => [path.replace('address.', ''), problem]);
  return errors.length === 0
    ? { kind: 'valid', address }
    : { kind: 'invalid', errors: Object.fromEntries(errors) };
};

const checkEmail = (input: string | null | undefined, problems: Problems): string => {
  const email = clean(input);
  if (email === null) problems['email'] = 'Enter an e-mail address.';
  else if (!isEmail(email)) problems['email'] = 'This is not an e-mail address.';
  return email ?? '';
};

/**
 * Checks and cleans what /addresses was sent; tells all problems at once, each under its field
 * (docs/rules/checkout.md#addresses).
 */
export const checkAddresses = (body: GivenAddresses, rules: AddressRules): CheckedAddresses => {
  const problems: Problems = {};
  const email = checkEmail(body.email, problems);
  const shippingSameAsBilling = body.shippingSameAsBilling ?? true;
  const billingInput = body.billingAddress ?? null;
  const shippingInput = shippingSameAsBilling ? billingInput : (body.shippingAddress ?? null);
  if (billingInput === null) problems['billingAddress'] = 'Send the billing address.';
  if (shippingInput === null && !shippingSameAsBilling)
    problems['shippingAddress'] = 'Send the shipping address.';
  const billingAddress = checkAddress(billingInput ?? {}, 'billing', email, billingInput ? problems : {});
  const shippingAddress = shippingSameAsBilling
    ? billingAddress
    : checkAddress(shippingInput ?? {}, 'shipping', email, shippingInput ? problems : {});
  if (rules.billingPhoneRequired && billingInput && billingAddress.phone === null) {
    problems['billing.phone'] ??= 'Enter a phone number.';
  }
  const destination = shippingAddress.countryCode;
  if (shippingInput && isCountry(destination) && !rules.shipsTo(destination)) {
    problems['shipping.countryCode'] = `This shop does not ship to ${countryName(destination)}.`;
  }
  if (rules.needsAccount && clean(body.password) === null) {
    problems['password'] =
      'Digital products are sold to account holders only: choose a password, or sign in.';
  }
  return Object.keys(problems).length > 0
    ? { kind: 'invalid', errors: problems }
    : {
        kind: 'valid',
        email,
        billingAddress,
        shippingAddress,
        shippingSameAsBilling,
        acceptsMarketing: body.acceptsMarketing ?? false,
      };
};

import { z } from 'zod';
import type { Address } from '#values/address.ts';
import { isEmail } from '#values/email-address.ts';
import { hasPostalCodes } from '#values/postal-codes.ts';
import { countryName, regionOfAddress } from '#values/region.ts';
import { basketFields } from './basket.contract.ts';
import { writtenItem } from './custom-item.contract.ts';
import {
  adjustment,
  amount,
  country,
  guid,
  name,
  optionalGuid,
  optionalText,
  region,
  type CurrencyOf,
} from '#fields/body-fields.ts';
import { otherNames } from './management.contract.ts';

/** What staff do at the order desk (docs/rules/manual-orders.md). */

const noText = optionalText.default(null);
const email = z.string('must be an e-mail address').trim().refine(isEmail, 'must be an e-mail address');

/** Nothing, in a country that has none. */
const postalCode = z.string().trim().max(250);

const addressFields = {
  name,
  company: optionalText,
  addressOne: name,
  addressTwo: optionalText,
  townCity: name,
  countyState: optionalText,
  regionCode: region,
  postalCode,
  countryCode: country,
  phone: optionalText,
};

/** What a new address may leave out. */
const wholeAddress = {
  ...addressFields,
  company: noText,
  addressTwo: noText,
  countyState: noText,
  regionCode: region.default(null),
  phone: noText,
};

/** First and last name stand for the name. */
const withName = (given: unknown): unknown => {
  if (typeof given !== 'object' || given === null) return given;
  const { firstName, lastName, ...address } = given as Readonly<Record<string, unknown>>;
  const both = [firstName, lastName]
    .filter((part) => typeof part === 'string')
    .join(' ')
    .trim();
  return both === '' || 'name' in address ? address : { ...address, name: both };
};

/** The same of a new address, which needs no postal code where there is none. */
const completed = (given: unknown): unknown => {
  const address = withName(given);
  if (typeof address !== 'object' || address === null || 'postalCode' in address) return address;
  const { countryCode } = address as Readonly<Record<string, unknown>>;
  return typeof countryCode === 'string' && !hasPostalCodes(countryCode.trim())
    ? { ...address, postalCode: '' }
    : address;
};

type Given = Omit<Address, 'country'>;

/** The address with its region's code and its country's name. */
const placed = <Fields extends Given>(address: Fields, context: z.RefinementCtx): Fields & Address => {
  const regionCode = regionOfAddress(address);
  if (address.postalCode === '' && hasPostalCodes(address.countryCode))
    context.addIssue({ code: 'custom', path: ['postalCode'], message: 'must not be empty' });
  if (regionCode === undefined)
    context.addIssue({
      code: 'custom',
      path: ['regionCode'],
      message: 'must be a region of that country',
    });
  return { ...address, regionCode: regionCode ?? null, country: countryName(address.countryCode) };
};

const nameInParts = otherNames('firstName', 'lastName');

const billingAddress = z
  .preprocess(completed, z.object({ ...wholeAddress, email }).transform(placed))
  .meta(nameInParts);
const shippingAddress = z
  .preprocess(
    completed,
    z.object({ ...wholeAddress, email: email.nullable().default(null) }).transform(placed),
  )
  .meta(nameInParts);

/** The most lines of an order. */
const MAX_ITEMS = 200;

/** A product; without a price of its own it costs what the catalogue says. */
const soldProduct = (currency: CurrencyOf) =>
  z.object({
    productId: guid,
    quantity: z.int().min(1).max(9_999_999).default(1),
    price: amount(currency).nullable().default(null),
    warehouseId: optionalGuid.default(null),
    shippingOptionId: optionalGuid.default(null),
  });

export const manualOrderBody = (currency: CurrencyOf) =>
  z.object({
    billingAddress,
    shippingAddress: shippingAddress.nullable().default(null),
    lineItems: z.array(soldProduct(currency)).max(MAX_ITEMS).default([]),
    customItems: z
      .array(writtenItem({ amount: amount(currency), adjustment: adjustment(currency) }))
      .max(MAX_ITEMS)
      .default([]),
  });
export type ManualOrderBody = z.output<ReturnType<typeof manualOrderBody>>;

export const manualOrderResponse = z.object({
  success: z.literal(true),
  isSuccessful: z.literal(true),
  invoiceId: z.string(),
  invoiceNumber: z.string(),
  errorMessage: z.null(),
});

/** The given fields replace those of the address. */
export const changedAddressBody = z
  .preprocess(withName, z.object({ ...addressFields, email: email.nullable() }).partial())
  .meta(nameInParts);

export const changedAddress = basketFields.shape.billingAddress;

export const purchaseOrderBody = z.object({ purchaseOrder: optionalText });
export const changedPurchaseOrder = z.object({ purchaseOrder: z.string().nullable() });

/** `visibleToCustomer` is another name of the flag. */
export const noteBody = z.object({
  text: z.string().trim().min(1, 'must be text').max(5000),
  isVisibleToCustomer: z.boolean().optional(),
  visibleToCustomer: z.boolean().optional(),
});

export const noteResponse = z.object({
  date: z.string(),
  text: z.string(),
  authorId: z.string(),
  author: z.string(),
  isVisibleToCustomer: z.boolean(),
});

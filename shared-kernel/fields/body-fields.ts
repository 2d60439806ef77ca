import { z } from 'zod';
import type { Address } from '#values/address.ts';
import { formatMoney, isAmountIn, isWithinLimit, MAX_AMOUNT, toMinor } from '#values/money.ts';
import { findRegion, isCountry, countryName } from '#values/region.ts';

/** Fields that the bodies of the management API share (docs/rules/management.md#creating-and-changing). */

export const guid = z.guid('must be a GUID').toLowerCase();

export const name = z.string().trim().min(1).max(250);
/** Empty counts as not given. */
const optional = (maximum: number) =>
  z
    .string()
    .trim()
    .max(maximum)
    .transform((value) => (value === '' ? null : value))
    .nullable();
export const optionalText = optional(250);
export const notes = optional(5000);
/** Characters of a description. */
export const MAX_DESCRIPTION = 50_000;
export const longText = optional(MAX_DESCRIPTION);
export const optionalGuid = guid.nullable();

export const count = z.int().min(0);

const hasFourDecimals = (value: number): boolean =>
  Math.abs(value * 10_000 - Math.round(value * 10_000)) < 1e-6;
/** 20 is 20 %. */
export const percentage = z
  .number()
  .min(0)
  .max(100)
  .refine(hasFourDecimals, 'must be a percentage with at most 4 decimals');

/** The store's currency: known once the store has been opened. */
export type CurrencyOf = () => string;

/** A number that is no larger than any amount of money: one that may be an amount, or a count or percentage. */
export const withinLimit = (currency: CurrencyOf) =>
  z.number().refine((value) => isWithinLimit(value, currency()), {
    error: ({ input }) =>
      (input as number) > 0
        ? `must be ${formatMoney(MAX_AMOUNT, currency())} or less`
        : `must be ${formatMoney(-MAX_AMOUNT, currency())} or more`,
    abort: true,
  });

/** A number on the wire that is an amount of the store's currency and not larger than the shop takes. */
export const money = (currency: CurrencyOf) =>
  withinLimit(currency).refine(
    (value) => isAmountIn(value, currency()),
    'must be an amount with the decimals of the store currency',
  );

/** Money in the store's currency; a decimal on the wire, minor units from here on. */
export const amount = (currency: CurrencyOf) =>
  money(currency)
    .min(0)
    .transform((value) => toMinor(value, currency()));

/** As `amount`, but may be negative. */
export const adjustment = (currency: CurrencyOf) =>
  money(currency).transform((value) => toMinor(value, currency()));

/** An enum: by name in any case or by number, given back by name. */
export const enumOf = <const Names extends Readonly<Record<string, number>>>(names: Names) =>
  z.union([z.string(), z.int()]).transform((given, context): keyof Names & string => {
    const wanted = String(given).toLowerCase();
    const found = Object.keys(names).find(
      (candidate) => candidate.toLowerCase() === wanted || names[candidate] === given,
    );
    if (found !== undefined) return found as keyof Names & string;
    context.addIssue({ code: 'custom', message: `must be one of ${Object.keys(names).join(', ')}` });
    return z.NEVER;
  });

/** An instant with its offset, kept in UTC. */
export const instant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 date and time with its offset' })
  .transform((value) => new Date(value).toISOString())
  // At either end an offset leads to a year that does not sort by its text.
  .refine((text) => /^\d{4}-/.test(text), 'must be an instant from the year 0 to 9999 in UTC');

const upperCase = z.string().trim().toUpperCase();
export const country = upperCase.refine(isCountry, 'must be an ISO 3166-1 country code');
export const countryOrAll = upperCase.refine(
  (code) => code === '*' || isCountry(code),
  "must be an ISO 3166-1 country code or '*'",
);

/** A region by code; what country it is of is not known here. Empty counts as not given. */
export const region = upperCase
  .max(10)
  .transform((code) => (code === '' ? null : code))
  .nullable();

/** Adds a region to a shape with a country: checked where the catalogue knows the country's regions. */
export const withRegion = <Shape extends z.ZodRawShape & { readonly countryCode: z.ZodType<string> }>(
  shape: Shape,
) =>
  z
    .object({ ...shape, regionCode: upperCase.max(10).nullable().default(null) })
    .transform((given, context) => {
      const place = given as { readonly countryCode: string; readonly regionCode: string | null };
      if (place.regionCode === null || place.regionCode === '') return { ...given, regionCode: null };
      const region = findRegion(place.countryCode, place.regionCode);
      if (region) return { ...given, regionCode: region.regionCode };
      context.addIssue({
        code: 'custom',
        path: ['regionCode'],
        message: 'must be a region of that country',
      });
      return z.NEVER;
    });

const line = z.string().trim().max(250).default('');

const placeFields = {
  name: line,
  company: optionalText.default(null),
  addressOne: line,
  addressTwo: optionalText.default(null),
  townCity: line,
  countyState: optionalText.default(null),
  regionCode: upperCase.max(10).nullable().default(null),
  postalCode: line,
  countryCode: country,
  email: optionalText.default(null),
  phone: optionalText.default(null),
};

/** The address of a warehouse or a supplier, of which only the country is required. */
export const placeAddress = z
  .object(placeFields)
  .transform((given): Address => ({ ...given, country: countryName(given.countryCode) }));

/** A key under which another system knows a thing. Empty counts as not given. */
export const externalKey = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9._:-]{0,100}$/, 'must be at most 100 letters, digits and . _ : -')
  .transform((given) => (given === '' ? null : given))
  .nullable();

/** The same of a customer, whom agents may know at it by a key. */
export const keyedAddress = z
  .object({ ...placeFields, externalKey: externalKey.default(null) })
  .transform((given) => ({ ...given, country: countryName(given.countryCode) }));

/** Whether no two items share a key. */
export const areDistinct = (keys: readonly string[]): boolean => new Set(keys).size === keys.length;

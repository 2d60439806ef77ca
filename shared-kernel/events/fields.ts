import { z } from 'zod';

/** Field schemas that events share. They describe what is stored, not what a caller may send. */
export const guid = z.string();
export const instant = z.string();
/** A calendar day in the shop's reporting time zone, `YYYY-MM-DD`. */
export const day = z.string();
export const currencyCode = z.string();
/** Minor units. */
export const minor = z.int();
export const quantity = z.int().positive();
export const count = z.int().nonnegative();
/** 20 is 20 %; at most four decimals. */
export const percent = z.number().nonnegative();
/** An exact decimal as text, such as an exchange rate or a weight. */
export const decimalText = z.string();
export const text = z.string();

export const address = z.object({
  name: z.string(),
  company: z.string().nullable(),
  addressOne: z.string(),
  addressTwo: z.string().nullable(),
  townCity: z.string(),
  countyState: z.string().nullable(),
  regionCode: z.string().nullable(),
  postalCode: z.string(),
  countryCode: z.string(),
  country: z.string(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
});

export const destination = z.object({
  countryCode: z.string(),
  regionCode: z.string().nullable(),
  postalCode: z.string().nullable(),
});

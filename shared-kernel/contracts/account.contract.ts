import { z } from 'zod';
import { addressResponse } from './basket.contract.ts';
import { addressInput, optionalText } from './checkout.contract.ts';
import { email, password, token } from './members.contract.ts';

// Bodies and answers of a member's account (docs/rules/account.md).

const done = { success: z.literal(true), message: z.string() };

export const accountAddressBody = addressInput.extend({
  isDefaultBilling: z.boolean().optional(),
  isDefaultShipping: z.boolean().optional(),
});

const accountAddress = addressResponse.omit({ email: true }).extend({
  id: z.string(),
  isDefaultBilling: z.boolean(),
  isDefaultShipping: z.boolean(),
});
export type AccountAddressResponse = z.output<typeof accountAddress>;
export const accountAddressResponse = accountAddress.extend(done);
export const accountAddressesResponse = z.object({ ...done, addresses: z.array(accountAddress) });

const name = z.string().trim().min(1).max(250);
const phone = z
  .string()
  .trim()
  .max(250)
  .regex(
    /^\+?[\d\s()-]*\d[\d\s()-]*$/,
    'must be a phone number: digits, spaces, hyphens, brackets, a leading +',
  )
  .or(z.literal('').transform(() => null))
  .nullish();

export const registerBody = z.object({
  email: email.min(1),
  password: password.min(1),
  name,
  phone,
  acceptsMarketing: z.boolean().optional(),
});

/** What is missing stays as it is. */
export const changeAccountBody = z.object({
  /** Another one needs `currentPassword`. */
  email: optionalText,
  currentPassword: password.optional(),
  name: name.optional(),
  /** Null or empty: none any more. */
  phone,
  acceptsMarketing: z.boolean().optional(),
});

export const accountResponse = z.object({
  ...done,
  id: z.string(),
  email: z.string(),
  /** A mailed link has shown that the address is the member's. */
  isEmailConfirmed: z.boolean(),
  name: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  phone: z.string().nullable(),
  acceptsMarketing: z.boolean(),
  dateCreated: z.string(),
});
export type AccountResponse = z.output<typeof accountResponse>;

export const confirmNewEmailBody = z.object({ email: email.min(1), token: token.min(1) });

export const changePasswordBody = z.object({
  currentPassword: password.min(1),
  newPassword: password.min(1),
});
export const changePasswordResponse = z.object({ ...done, token: z.string(), expiresUtc: z.string() });

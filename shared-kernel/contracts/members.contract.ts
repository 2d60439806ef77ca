import { z } from 'zod';
import { checkoutBasketFields } from './basket.contract.ts';

// Bodies and answers of accounts (docs/rules/members.md).

export const email = z.string().max(250);
/** Longer ones are refused, but are hashed like a password: response times must not tell. */
export const password = z.string().max(5000);
export const token = z.string().max(500);

export const validatePasswordBody = z.object({ password: password.nullish() });
export const validatePasswordResponse = z.object({ isValid: z.boolean(), errors: z.array(z.string()) });

export const memberSignInBody = z.object({ email, password });
export const memberSignInResponse = z.object({
  success: z.boolean(),
  message: z.string(),
  errorMessage: z.string().nullable(),
  /** Of a refusal (docs/errors.md). */
  code: z.string().optional(),
  failedAttempts: z.int(),
  showForgotPassword: z.boolean(),
  token: z.string().optional(),
  expiresUtc: z.string().optional(),
  basket: checkoutBasketFields.optional(),
  warnings: z.array(z.string()).optional(),
});

export const doneResponse = z.object({ success: z.boolean(), message: z.string() });

export const forgotPasswordBody = z.object({ email, resetBaseUrl: z.string().max(2000).nullish() });

export const resetTokenBody = z.object({ email, token });
export const resetTokenResponse = z.object({
  isValid: z.boolean(),
  email: z.string().nullable(),
  errorMessage: z.string().nullable(),
});

export const resetPasswordBody = z.object({
  email: email.min(1),
  token: token.min(1),
  newPassword: password.min(1),
});
export const resetPasswordResponse = z.object({
  success: z.boolean(),
  message: z.string(),
  errorMessage: z.string().nullable(),
  validationErrors: z.array(z.string()),
});

/** `password`: the same as `newPassword`. */
export const confirmEmailBody = z
  .object({
    email: email.min(1),
    token: token.min(1),
    newPassword: password.min(1).optional(),
    password: password.min(1).optional(),
  })
  .refine((body) => (body.newPassword ?? body.password) !== undefined, {
    path: ['newPassword'],
    error: 'must be a password',
  });

/** What is no address is answered alike. */
export const checkEmailBody = z.unknown();
export const checkEmailResponse = z.object({
  hasExistingAccount: z.literal(false),
  exists: z.literal(false),
});

export const testLinkBody = z.object({ email: email.min(1) });
export const testLinkResponse = z.object({ token: z.string() });

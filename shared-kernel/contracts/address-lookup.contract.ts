import { z } from 'zod';

const optionalText = z.string().max(500).nullish();
const blank = 'must be text';
const filled = z.string(blank).trim().min(1, blank).max(500);

export const suggestionsBody = z.object({
  query: filled,
  countryCode: optionalText,
  limit: z.int().nullish(),
  sessionId: optionalText,
});

export const resolveBody = z.object({ id: filled, countryCode: optionalText, sessionId: optionalText });

const nullableText = z.string().nullable();

/** What a form needs to know before it asks (docs/rules/address-lookup.md). */
export const lookupConfigResponse = z.object({
  isEnabled: z.boolean(),
  providerAlias: nullableText,
  providerName: nullableText,
  providerDescription: nullableText,
  /** Null: all. */
  supportedCountries: z.array(z.string()).nullable(),
  minQueryLength: z.int(),
  maxSuggestions: z.int(),
});

const outcome = {
  success: z.boolean(),
  /** Why not (docs/errors.md). */
  code: nullableText,
  message: z.string(),
  errorMessage: nullableText,
};

export const suggestionsResponse = z.object({
  ...outcome,
  suggestions: z.array(z.object({ id: z.string(), label: z.string(), description: z.string() })),
});

export const resolveResponse = z.object({
  ...outcome,
  address: z
    .object({
      company: nullableText,
      addressOne: z.string(),
      addressTwo: nullableText,
      townCity: z.string(),
      countyState: nullableText,
      regionCode: nullableText,
      postalCode: z.string(),
      country: nullableText,
      countryCode: nullableText,
    })
    .nullable(),
});

export const lookupProviderResponse = z.object({
  alias: z.string(),
  displayName: z.string(),
  description: z.string(),
  isActive: z.boolean(),
  configuration: z.record(z.string(), z.string()),
});

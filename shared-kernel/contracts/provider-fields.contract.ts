import { z } from 'zod';

/** What a provider wants to be told before it works, as a field of a form. */
export const providerField = z.object({
  key: z.string(),
  label: z.string(),
  type: z.string(),
  isRequired: z.boolean(),
  isSecret: z.boolean(),
  defaultValue: z.string().nullable(),
});
export const providerFieldsResponse = z.array(providerField);

// What requests and answers about providers of any kind have in common.
export const providerParams = z.object({ alias: z.string().max(250) });
export const providerSettingsBody = z.object({ configuration: z.record(z.string(), z.unknown()) });
export const providerTestResponse = z.object({ success: z.boolean(), errorMessage: z.string().nullable() });

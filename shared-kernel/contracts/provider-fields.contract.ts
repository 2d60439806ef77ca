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
export const providerFieldsAnswer = z.array(providerField);

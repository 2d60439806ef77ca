import { z } from 'zod';

export const taxProviderParams = z.object({ alias: z.string().max(250) });

export const taxProviderAnswer = z.object({
  alias: z.string(),
  displayName: z.string(),
  isActive: z.boolean(),
  configuration: z.record(z.string(), z.union([z.string(), z.number()])),
});
export const taxProvidersAnswer = z.array(taxProviderAnswer);

export const taxProviderSettingsBody = z.object({ configuration: z.record(z.string(), z.unknown()) });

export const taxProviderTestAnswer = z.object({ success: z.boolean(), errorMessage: z.string().nullable() });

import { z } from 'zod';

export const taxProviderResponse = z.object({
  alias: z.string(),
  displayName: z.string(),
  isActive: z.boolean(),
  configuration: z.record(z.string(), z.union([z.string(), z.number()])),
});

import { z } from 'zod';
import { guid } from './management.contract.ts';

/** Codes of discounts (docs/rules/discounts.md#codes-for-rules). */

export const generateCodeQuery = z.object({ length: z.coerce.number().int().min(4).max(50).default(8) });
export const generatedCode = z.object({ code: z.string() });

export const codeQuery = z.object({
  code: z.string().trim().min(1).max(250),
  excludeId: guid.optional(),
});
export const codeAvailability = z.object({ isAvailable: z.boolean(), available: z.boolean() });

import { z } from 'zod';

/** The body of a refusal; some carry more. */
export const errorBody = z.object({
  success: z.literal(false),
  /** For programs: stable (docs/errors.md). */
  code: z.string(),
  message: z.string(),
});

import { z } from 'zod';

/** The body of a refusal; some carry more. */
export const errorBody = z.object({ success: z.literal(false), message: z.string() });

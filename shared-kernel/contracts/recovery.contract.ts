import { z } from 'zod';

/** Any text: what is wrong with a token is told by none of its links. */
export const recoveryParams = z.object({ token: z.string() });

export const unsubscribedResponse = z.object({ success: z.literal(true), message: z.string() });

import { z } from 'zod';

/** Bodies of the test endpoints, which exist only where TESTING_SECRET is set. */
export const clockBody = z.object({ advanceSeconds: z.number().nonnegative() });

export const jobParams = z.object({ name: z.string().regex(/^[a-z-]+$/) });

import { z } from 'zod';

const expected = 'must be "now", 0 or the position of an event';

/** POST /dispatch/resume: where to go on after a restore of the log. */
export const resumeBody = z.object({
  from: z.union([z.literal('now'), z.int().min(0, expected)], expected),
});

/** After which position it goes on, and what does; none where nothing waited. */
export const resumedResponse = z.object({ after: z.int(), resumed: z.string().array() });

import { z } from 'zod';

/** What the folder of a replay says of itself: `replay.json`. */
export const replayRecord = z.object({
  /** ISO instant: the shop as of then. */
  until: z.iso.datetime(),
  /** The last event that had been recorded. */
  position: z.int(),
  eventId: z.string(),
  /** The views that were filled. */
  views: z.array(z.string()),
  /** How far the log went when they were filled: of who was forgotten later they show too much. */
  logHead: z.int(),
  /** ISO instant; null while they are being filled. */
  madeAt: z.iso.datetime().nullable(),
});
export type ReplayRecord = z.output<typeof replayRecord>;

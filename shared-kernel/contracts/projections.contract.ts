import { z } from 'zod';

export const projectionParams = z.object({ name: z.string().max(100) });

export const rebuildBody = z.object({ names: z.array(z.string().max(100)).min(1).max(100) });

/** How far a projection is. */
export const projectionResponse = z.object({
  name: z.string(),
  version: z.int(),
  /** Which filling of its collection serves; null while the first one is under way. */
  generation: z.int().nullable(),
  /** The version that answers: an older one, while the present one is being filled; null where none can. */
  answeringVersion: z.int().nullable(),
  /** Position of the last event received in order. */
  checkpoint: z.int(),
  lagPositions: z.int(),
  lagSeconds: z.number(),
  /** Why it stands still; null while it goes on. */
  stopped: z.object({ position: z.int(), message: z.string() }).nullable(),
  /** How far the last rebuild is that was asked for, or why it failed; null when none ever was. */
  rebuild: z
    .object({
      /** Null once it has ended. */
      phase: z.enum(['waiting', 'filling', 'indexes', 'catching up', 'switching']).nullable(),
      position: z.int(),
      head: z.int(),
      eventsRead: z.int(),
      eventsPerSecond: z.number().nullable(),
      /** How much of the log has been read, from 0 to 1. */
      share: z.number(),
      /** At the pace so far; null until that is known. */
      secondsLeft: z.number().nullable(),
      askedBy: z.string(),
      startedAt: z.string().nullable(),
      isDone: z.boolean(),
      failure: z.string().nullable(),
    })
    .nullable(),
});
export type ProjectionResponse = z.output<typeof projectionResponse>;

export const projectionsResponse = z.object({ items: z.array(projectionResponse) });

import { z } from 'zod';
import { guid } from '#fields/body-fields.ts';
import { listFields, pageSchema } from './listing.contract.ts';
import { instant } from './webhook-stats.contract.ts';

/** Replays (docs/rules/webhooks.md#replays). */

const DAY_MILLISECONDS = 86_400_000;
/** The longest stretch of time that is replayed at once. */
const MOST_DAYS = 730;

export const replayIncludes = ['failed', 'missing', 'all'] as const;
export type ReplayInclude = (typeof replayIncludes)[number];

export const replayStatuses = [
  'Running',
  'Sending',
  'Cancelling',
  'Completed',
  'Cancelled',
  'Failed',
] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

/** `from` and `to` are when events were recorded, both included; without `to`, or where that is later, it is now. */
export const replayBody = z.object({
  from: instant('00:00:00.000'),
  to: instant('23:59:59.999').nullish(),
  include: z.enum(replayIncludes, 'must be failed, missing or all'),
});
export type ReplayWish = z.output<typeof replayBody>;

const endOfDay = (instant: number): number =>
  Math.floor(instant / DAY_MILLISECONDS + 1) * DAY_MILLISECONDS - 1;

/**
 * What is wrong with a stretch of time; null where nothing is. All in milliseconds since 1970. Today is asked for as a
 * whole, too.
 */
export const wrongStretch = (from: number, to: number, now: number): string | null => {
  if (from > now) return 'from: must not be in the future';
  if (to > endOfDay(now)) return 'to: must not be after today, in UTC; leave it out for now';
  if (from > to) return 'from: must not be after to';
  if (Math.min(to, now) - from > MOST_DAYS * DAY_MILLISECONDS)
    return `from: must be at most ${MOST_DAYS} days before to`;
  return null;
};

export const replayParams = z.object({ id: guid, replayId: guid });

export const replaySchema = z.object({
  id: z.string(),
  subscriptionId: z.string(),
  from: z.string(),
  to: z.string(),
  include: z.enum(replayIncludes),
  status: z.enum(replayStatuses),
  /** Of the log between `from` and `to`, how much has been looked through. */
  percent: z.int(),
  /** Deliveries that were put into the queue. */
  queued: z.int(),
  /** Of these, the ones that have not been tried yet. */
  waiting: z.int(),
  /** Deliveries that were to be sent and cannot be: too large, of a forgotten person, or just being deleted. */
  skipped: z.int(),
  /** Why it failed, or ended before it was through. */
  message: z.string().nullable(),
  dateCreated: z.string(),
  dateCompleted: z.string().nullable(),
  /** Who began it, and who called it off; null where nobody did, or where an older release began it. */
  askedBy: z.string().nullable(),
  calledOffBy: z.string().nullable(),
});

const { page, pageSize } = listFields(20);
export const replayListQuery = z.object({ page, pageSize });
export const replayPageSchema = pageSchema(replaySchema);

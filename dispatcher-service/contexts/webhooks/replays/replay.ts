import type { ReplayInclude, ReplayStatus } from '#contracts/webhook-replays.contract.ts';
import type { Document } from '#kernel/projection.ts';
import type { TopicKey } from '#topics/topics.ts';

/** What goes to a subscription again, or for the first time, and how far that is (docs/rules/webhooks.md#replays). */
export interface Replay extends Document {
  readonly subscriptionId: string;
  readonly topic: TopicKey;
  /** Events recorded from … to, both included; ISO instants. */
  readonly from: string;
  readonly to: string;
  readonly include: ReplayInclude;
  readonly status: ReplayStatus;
  /** Positions: where the log begins to matter, up to where it was looked through, and its end at the start. */
  readonly begin: number;
  readonly reached: number;
  readonly end: number;
  /** Which event is at the end; null at START, missing where an older release began it. */
  readonly endEventId?: string | null;
  readonly queued: number;
  readonly skipped: number;
  readonly message: string | null;
  readonly dateCreated: string;
  readonly dateCompleted: string | null;
  /** Of its subscription, which has one at a time; null once it is over. */
  readonly runsFor: string | null;
  /** Missing where an older release began it. */
  readonly askedBy?: string;
  readonly calledOffBy?: string;
}

/** Of the state store: no log tells what staff have asked for here. */
export const replaysCollection = 'webhookReplays';

/** A replay with one of these is over. */
export const endStatuses: readonly ReplayStatus[] = ['Completed', 'Cancelled', 'Failed'];
export const openStatuses: readonly ReplayStatus[] = ['Running', 'Sending', 'Cancelling'];

/** How much of the log was looked through, in percent. */
export const percentOf = ({ begin, reached, end, status }: Replay): number => {
  if (status === 'Sending' || status === 'Completed') return 100;
  return end > begin ? Math.min(100, Math.floor(((reached - begin) / (end - begin)) * 100)) : 0;
};

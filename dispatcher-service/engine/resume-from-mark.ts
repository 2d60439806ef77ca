import type { Logger } from 'pino';
import type { StoppedAt } from '#log/feed-follower.ts';
import type { EventStore, LogMark } from '#ports/event-store.ts';
import { pause } from '#runtime/back-off.ts';

/** Where to go on: after an event, in a log that has come to `head`. */
export interface ResumeWish {
  readonly from: LogMark;
  readonly head: number;
}

/** What goes out as the log says, and waits where the log was restored to before its mark. */
export interface Resumable {
  readonly name: string;
  /** False where it does not wait: nothing is changed. Errors: `EngineUnavailable`. */
  resume(wish: ResumeWish): Promise<boolean>;
}

export interface ResumeOptions {
  readonly name: string;
  /** Resumes at the mark that was kept, and returns null; the mark where the log does not hold it. */
  readonly restore: () => Promise<LogMark | null>;
  /** Told where and why it stands still, and null once it does no longer. */
  readonly onWaiting: (at: StoppedAt | null) => void;
  readonly log: Pick<Logger, 'error'>;
  readonly signal: AbortSignal;
}

/** Of the log, what it takes to tell whether a mark fits. */
export type MarkedLog = Pick<EventStore, 'eventAt'>;

const LOOK_MILLISECONDS = 250;

const LOST =
  'the log was restored and does not hold this event, up to which everything had gone out. Nothing goes out until ' +
  '"tillroll dispatch resume" says where to go on: with --from now, what was appended since the restore is never told; ' +
  'with --from <position>, what comes after that position is told, also what was told before the restore';

/**
 * Resumes where the last process ended. After a restore of the log nothing tells what receivers have heard already:
 * then it waits, and says so, until someone decides (docs/guides/deployment.md#backup-and-restore). False when the
 * signal came first. Errors: `EngineUnavailable`.
 */
export const resumeFromMark = async ({
  name,
  restore,
  onWaiting,
  log,
  signal,
}: ResumeOptions): Promise<boolean> => {
  let isSaid = false;
  try {
    while (!signal.aborted) {
      const lost = await restore();
      if (!lost) return true;
      const { position } = lost;
      onWaiting({ position, message: LOST });
      if (!isSaid) log.error({ follower: name, position }, LOST);
      isSaid = true;
      await pause(LOOK_MILLISECONDS, signal);
    }
    return false;
  } finally {
    onWaiting(null);
  }
};

import type { Logger } from 'pino';
import { createBackgroundRuns } from '#command/engine/background-runs.ts';
import type { Clock } from '#kernel/clock.ts';
import { inParallel } from '#runtime/work-off.ts';
import type { AdvanceCheckouts } from './advance-checkouts.ts';
import type { CheckoutsInProgress } from './checkouts-in-progress.ts';

export interface TellRecordsDeps {
  readonly inProgress: CheckoutsInProgress;
  readonly advance: AdvanceCheckouts;
  readonly clock: Clock;
  /** Resolves once this process has read the log up to its head. */
  readonly reach: () => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

const AT_ONCE = 8;
const TAKEN_TOGETHER = 200;

/**
 * Follows confirmed sales, shoppers who come back and baskets that are cleared, and tells the records of abandoned
 * checkouts at once. What a kill leaves undone is found by the next process, and by the job.
 */
export const createTellRecords = ({ inProgress, advance, clock, reach, log }: TellRecordsDeps) => {
  /** False: the next one that wakes this, or the job, tries again. */
  const tell = async (basketId: string): Promise<boolean> => {
    try {
      return !runs.isStopped() && (await advance(basketId, clock.now())) !== 'later';
    } catch (err) {
      log.warn({ basketId, err }, 'the record of an abandoned checkout is told later');
      return false;
    }
  };

  const tellAll = async (): Promise<void> => {
    const later: string[] = [];
    await reach();
    while (!runs.isStopped()) {
      const waiting = inProgress.takeNews(TAKEN_TOGETHER);
      if (waiting.length === 0) break;
      await inParallel(waiting, AT_ONCE, async (basketId) => {
        if (!(await tell(basketId))) later.push(basketId);
      });
    }
    later.forEach(inProgress.putOff);
  };

  const runs = createBackgroundRuns(tellAll, (err) =>
    log.warn({ err }, 'records of abandoned checkouts are told later'),
  );
  inProgress.watch(runs.wake);
  runs.wake();
  return { idle: runs.idle, stop: runs.stop };
};

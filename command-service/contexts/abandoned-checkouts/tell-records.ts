import type { Logger } from 'pino';
import type { Clock } from '#kernel/clock.ts';
import { pause } from '#runtime/back-off.ts';
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
const WAKE_MS = 50;
const IDLE_LOOK_MS = 20;

/**
 * Follows confirmed sales, shoppers who come back and baskets that are cleared, and tells the records of abandoned
 * checkouts at once. What a kill leaves undone is found by the next process, and by the job.
 */
export const createTellRecords = ({ inProgress, advance, clock, reach, log }: TellRecordsDeps) => {
  let underWay: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;

  /** False: the next one that wakes this, or the job, tries again. */
  const tell = async (basketId: string): Promise<boolean> => {
    try {
      return !isStopped && (await advance(basketId, clock.now())) !== 'later';
    } catch (err) {
      log.warn({ basketId, err }, 'the record of an abandoned checkout is told later');
      return false;
    }
  };

  const runAll = async (): Promise<void> => {
    const later: string[] = [];
    await reach();
    while (!isStopped) {
      const waiting = inProgress.takeNews(TAKEN_TOGETHER);
      if (waiting.length === 0) break;
      await inParallel(waiting, AT_ONCE, async (basketId) => {
        if (!(await tell(basketId))) later.push(basketId);
      });
    }
    later.forEach(inProgress.putOff);
  };

  const run = (): Promise<void> => {
    underWay ??= runAll().finally(() => {
      underWay = null;
    });
    return underWay;
  };

  const wake = (): void => {
    if (isStopped) return;
    timer ??= setTimeout(() => {
      timer = null;
      run().catch((err: unknown) => log.warn({ err }, 'records of abandoned checkouts are told later'));
    }, WAKE_MS).unref();
  };
  inProgress.watch(wake);
  wake();

  return {
    idle: async (timeoutMs: number): Promise<boolean> => {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        if (timer === null && underWay === null) return true;
        if (performance.now() >= deadline) return false;
        await pause(IDLE_LOOK_MS);
      }
    },
    stop: async (): Promise<void> => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      await underWay;
    },
  };
};

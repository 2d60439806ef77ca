import type { Logger } from 'pino';
import { Rejection } from '#kernel/rejection.ts';
import type { Job } from '#runtime/job-runner.ts';

/** What follows the dates of rules that are switched on. */
export interface StatusJobDeps {
  /** Rules whose dates ask for another status by then: nobody looks at the others. */
  readonly changing: (now: number) => readonly string[];
  /** False when it had that status already. */
  readonly followDates: (id: string) => Promise<boolean>;
  readonly log: Pick<Logger, 'warn'>;
}

/** So many are changed side by side: they share the waits for the disk. */
const AT_ONCE = 16;

type Outcome = 'changed' | 'kept' | 'failed';

/** Gives rules the status that their dates ask for, each change once (docs/rules/discounts.md#status). */
export const statusJob = (name: string, noun: string, { changing, followDates, log }: StatusJobDeps): Job => {
  const follow = async (id: string): Promise<Outcome> => {
    try {
      return (await followDates(id)) ? 'changed' : 'kept';
    } catch (err) {
      // Deleted meanwhile, or an owner's hook does not want it: that is no failure.
      if (err instanceof Rejection) return 'kept';
      log.warn({ id, err }, `${noun} could not be given its status yet`);
      return 'failed';
    }
  };

  return {
    name,
    schedule: '* * * * *',
    isDue: (now) => changing(now).length > 0,
    runOnce: async (now) => {
      const counts: Record<Outcome, number> = { changed: 0, kept: 0, failed: 0 };
      const waiting = [...changing(now)];
      const workOff = async (): Promise<void> => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) counts[await follow(id)]++;
      };
      await Promise.all(Array.from({ length: AT_ONCE }, workOff));
      return counts;
    },
  };
};

import type { Logger } from 'pino';
import { Rejection } from '#kernel/rejection.ts';
import type { Job } from '#runtime/job-runner.ts';

interface DiscountStatusDeps {
  /** Rules whose dates ask for another status by then: nobody looks at the others. */
  readonly changing: (now: number) => readonly string[];
  /** False when it had that status already. */
  readonly followDates: (discountId: string) => Promise<boolean>;
  readonly log: Pick<Logger, 'warn'>;
}

/** So many are changed side by side: they share the waits for the disk. */
const AT_ONCE = 16;

type Outcome = 'changed' | 'kept' | 'failed';

/** Gives rules the status that their dates ask for, each change once (docs/rules/discounts.md#status). */
export const discountStatus = ({ changing, followDates, log }: DiscountStatusDeps): Job => {
  const follow = async (discountId: string): Promise<Outcome> => {
    try {
      return (await followDates(discountId)) ? 'changed' : 'kept';
    } catch (err) {
      // Deleted meanwhile, or an owner's hook does not want it: that is no failure.
      if (err instanceof Rejection) return 'kept';
      log.warn({ discountId, err }, 'a discount could not be given its status yet');
      return 'failed';
    }
  };

  return {
    name: 'discount-status',
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

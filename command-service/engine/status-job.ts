import type { Logger } from 'pino';
import { Rejection } from '#kernel/rejection.ts';
import type { Job } from '#runtime/job-runner.ts';
import { workOff } from '#runtime/work-off.ts';

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

/** Gives rules the status that their dates ask for, each change once (docs/rules/discounts.md#status). */
export const statusJob = (
  name: string,
  noun: string,
  { changing, followDates, log }: StatusJobDeps,
): Job => ({
  name,
  schedule: '* * * * *',
  isDue: (now) => changing(now).length > 0,
  runOnce: async (now) => {
    const due = changing(now);
    let changed = 0;
    const failed = await workOff(due, {
      atOnce: AT_ONCE,
      act: async (id) => {
        if (await followDates(id).catch(refusedIsKept)) changed++;
      },
      onFailure: (id, err) => log.warn({ id, err }, `${noun} could not be given its status yet`),
    });
    return { changed, kept: due.length - changed - failed, failed };
  },
});

/** Deleted meanwhile, or an owner's hook does not want it: that is no failure. */
const refusedIsKept = (error: unknown): false => {
  if (error instanceof Rejection) return false;
  throw error;
};

import type { Logger } from 'pino';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { Job } from '#runtime/job-runner.ts';

interface RemindersJobDeps {
  /** See `DueInvoices`. */
  readonly takeDue: (now: number, max: number) => readonly string[];
  readonly putBack: (invoiceIds: readonly string[]) => void;
  readonly remind: (invoiceId: string) => Promise<'reminded' | 'kept'>;
  readonly everyHours: number;
  readonly log: Pick<Logger, 'warn'>;
}

const HOUR = 3_600_000;
const AT_ONCE = 8;
const TAKEN_TOGETHER = 200;

type Outcome = 'reminded' | 'kept' | 'failed' | 'engineAway';

/** Reminds of what is due soon and what is overdue, a few customers at a time. */
export const invoiceReminders = ({ takeDue, putBack, remind, everyHours, log }: RemindersJobDeps): Job => {
  let ranAt = -Infinity;

  const tryOne = async (invoiceId: string): Promise<Outcome> => {
    try {
      return await remind(invoiceId);
    } catch (err) {
      log.warn({ invoiceId, err }, 'a customer could not be reminded of an invoice yet');
      return err instanceof EngineUnavailable ? 'engineAway' : 'failed';
    }
  };

  return {
    name: 'invoice-reminders',
    schedule: '* * * * *',
    isDue: (now) => now - ranAt >= everyHours * HOUR,
    runOnce: async (now) => {
      const counts: Record<Outcome, number> = { reminded: 0, kept: 0, failed: 0, engineAway: 0 };
      const unfinished: string[] = [];
      const workOff = async (waiting: string[]): Promise<void> => {
        for (let invoiceId = waiting.shift(); invoiceId !== undefined; invoiceId = waiting.shift()) {
          // The others would fare no better: the next run begins with them.
          const outcome = counts.engineAway > 0 ? 'engineAway' : await tryOne(invoiceId);
          counts[outcome]++;
          if (outcome !== 'reminded') unfinished.push(invoiceId);
        }
      };
      while (counts.engineAway === 0) {
        const waiting = [...takeDue(now, TAKEN_TOGETHER)];
        if (waiting.length === 0) break;
        await Promise.all(Array.from({ length: AT_ONCE }, () => workOff(waiting)));
      }
      // Only now, or this run would meet them again and again.
      putBack(unfinished);
      const { reminded, kept, failed, engineAway } = counts;
      // What failed is tried again soon, not a day later.
      if (failed + engineAway === 0) ranAt = now;
      return { reminded, kept, failed: failed + engineAway };
    },
  };
};

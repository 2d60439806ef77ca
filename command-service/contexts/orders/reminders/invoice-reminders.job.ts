import type { Logger } from 'pino';
import type { Job } from '#runtime/job-runner.ts';
import { workOffDue } from '#runtime/work-off.ts';

interface RemindersJobDeps {
  /** See `DueInvoices`. */
  readonly takeDue: (now: number, max: number) => readonly string[];
  readonly putBack: (invoiceId: string) => void;
  readonly remind: (invoiceId: string) => Promise<boolean>;
  readonly everyHours: number;
  readonly log: Pick<Logger, 'warn'>;
}

const HOUR = 3_600_000;
const AT_ONCE = 8;

/** Reminds customers of what is due soon or overdue, a few at a time. */
export const invoiceReminders = ({ takeDue, putBack, remind, everyHours, log }: RemindersJobDeps): Job => {
  let ranAt = -Infinity;
  return {
    name: 'invoice-reminders',
    schedule: '* * * * *',
    worksOff: 'due-invoices',
    isDue: (now) => now - ranAt >= everyHours * HOUR,
    runOnce: async (now, signal) => {
      const { done: reminded, ...others } = await workOffDue({
        takeDue: (max) => takeDue(now, max),
        putBack,
        atOnce: AT_ONCE,
        signal,
        act: remind,
        onFailure: (invoiceId, err) =>
          log.warn({ invoiceId, err }, 'a customer could not be reminded of an invoice yet'),
      });
      // Failures are retried soon rather than a day later.
      if (others.failed === 0) ranAt = now;
      return { reminded, ...others };
    },
  };
};

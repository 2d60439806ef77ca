import type { Logger } from 'pino';
import type { Job } from '#runtime/job-runner.ts';

interface LookUpDeps {
  /** See `PendingPayments`. */
  readonly takeDue: (now: number, max: number) => readonly string[];
  /** Asks the provider what has come of it. */
  readonly lookUp: (invoiceId: string) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

/** So many in a run: a provider is not to be flooded. */
const AT_MOST = 100;
const AT_ONCE = 5;

/** Looks up what providers owe, in case that their callbacks are lost. At the start everything is due. */
export const lookUpPending = ({ takeDue, lookUp, log }: LookUpDeps): Job => ({
  name: 'look-up-pending',
  schedule: '* * * * *',
  runOnce: async (now) => {
    const due = [...takeDue(now, AT_MOST)];
    let failed = 0;
    const workOff = async (): Promise<void> => {
      for (let invoiceId = due.shift(); invoiceId !== undefined; invoiceId = due.shift()) {
        try {
          await lookUp(invoiceId);
        } catch (err) {
          failed++;
          log.warn({ invoiceId, err }, 'a pending payment could not be looked up');
        }
      }
    };
    const lookedUp = due.length;
    await Promise.all(Array.from({ length: AT_ONCE }, workOff));
    return { lookedUp, failed };
  },
});

import type { Logger } from 'pino';
import type { Job } from '#runtime/job-runner.ts';
import { workOff } from '#runtime/work-off.ts';

interface LookUpDeps {
  readonly name: string;
  readonly schedule: string;
  readonly worksOff: string;
  /** See `OwedOutcomes`. */
  readonly takeDue: (now: number, max: number) => readonly string[];
  /** Asks the provider what has come of it. */
  readonly lookUp: (owed: string) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

/** The most per run: a provider must not be flooded. */
const AT_MOST = 100;
const AT_ONCE = 5;

/** Looks up what providers owe, in case that their callbacks are lost. At the start everything is due. */
export const lookUpPending = ({ name, schedule, worksOff, takeDue, lookUp, log }: LookUpDeps): Job => ({
  name,
  schedule,
  worksOff,
  runOnce: async (now) => {
    const due = takeDue(now, AT_MOST);
    const failed = await workOff(due, {
      atOnce: AT_ONCE,
      act: lookUp,
      onFailure: (owed, err) =>
        log.warn({ job: name, owed, err }, 'what a provider owes could not be looked up'),
    });
    return { lookedUp: due.length, failed };
  },
});

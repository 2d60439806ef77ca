import type { Logger } from 'pino';
import type { Job } from '#runtime/job-runner.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';

interface ReleaseReservationsDeps {
  /** See `UnpaidInvoices`. */
  readonly takeExpired: (now: number, max: number) => readonly string[];
  readonly putBack: (invoiceId: string) => void;
  /** False when the invoice has not expired, as its own stream says. */
  readonly expire: (invoiceId: string) => Promise<boolean>;
  readonly log: Pick<Logger, 'warn'>;
}

/** So many are expired side by side: they share the waits for the disk, and shoppers hardly notice them. */
const AT_ONCE = 16;
const TAKEN_TOGETHER = 200;

type Outcome = 'expired' | 'kept' | 'failed' | 'engineAway';

/** Cancels the invoices that nobody paid in time, a few at a time, and gives back what they held. */
export const releaseReservations = (deps: ReleaseReservationsDeps): Job => {
  const { takeExpired, putBack, expire, log } = deps;

  const tryOne = async (invoiceId: string): Promise<Outcome> => {
    try {
      return (await expire(invoiceId)) ? 'expired' : 'kept';
    } catch (err) {
      log.warn({ invoiceId, err }, 'an unpaid invoice could not be expired yet');
      return err instanceof EngineUnavailable ? 'engineAway' : 'failed';
    }
  };

  return {
    name: 'release-reservations',
    schedule: '* * * * *',
    runOnce: async (now) => {
      const counts: Record<Outcome, number> = { expired: 0, kept: 0, failed: 0, engineAway: 0 };
      const unfinished: string[] = [];
      const workOff = async (waiting: string[]): Promise<void> => {
        for (let invoiceId = waiting.shift(); invoiceId !== undefined; invoiceId = waiting.shift()) {
          // The others would fare no better: the next run begins with them.
          const outcome = counts.engineAway > 0 ? 'engineAway' : await tryOne(invoiceId);
          counts[outcome]++;
          if (outcome !== 'expired') unfinished.push(invoiceId);
        }
      };
      while (counts.engineAway === 0) {
        const waiting = [...takeExpired(now, TAKEN_TOGETHER)];
        if (waiting.length === 0) break;
        await Promise.all(Array.from({ length: AT_ONCE }, () => workOff(waiting)));
      }
      // Only now, or this run would meet them again and again.
      for (const invoiceId of unfinished) putBack(invoiceId);
      const { expired, kept, failed, engineAway } = counts;
      return { expired, kept, failed: failed + engineAway };
    },
  };
};

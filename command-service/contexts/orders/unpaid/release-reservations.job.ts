import type { Logger } from 'pino';
import type { Job } from '#runtime/job-runner.ts';
import { workOffDue } from '#runtime/work-off.ts';

interface ReleaseReservationsDeps {
  /** See `UnpaidInvoices`. */
  readonly takeExpired: (now: number, max: number) => readonly string[];
  readonly putBack: (invoiceId: string) => void;
  /** False if the invoice's own stream says that it has not expired. */
  readonly expire: (invoiceId: string) => Promise<boolean>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Expired side by side: they share commits of the log. */
const AT_ONCE = 16;

/** Cancels invoices not paid in time, a few at a time, and releases what they held. */
export const releaseReservations = ({ takeExpired, putBack, expire, log }: ReleaseReservationsDeps): Job => ({
  name: 'release-reservations',
  schedule: '* * * * *',
  worksOff: 'unpaid-invoices',
  runOnce: async (now, signal) => {
    const { done: expired, ...others } = await workOffDue({
      takeDue: (max) => takeExpired(now, max),
      putBack,
      atOnce: AT_ONCE,
      signal,
      act: expire,
      onFailure: (invoiceId, err) =>
        log.warn({ invoiceId, err }, 'an unpaid invoice could not be expired yet'),
    });
    return { expired, ...others };
  },
});

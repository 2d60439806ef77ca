import type { Logger } from 'pino';
import type { Job } from '#runtime/job-runner.ts';
import { workOff } from '#runtime/work-off.ts';

interface ReleaseHoldsDeps {
  /** See `OfferWindows`. */
  readonly due: (now: number) => readonly string[];
  /** Ends the offer, or continues an add. */
  readonly release: (invoiceId: string) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

const AT_ONCE = 16;

/** Every minute, releases orders whose offer has ended (docs/rules/post-purchase.md#window). */
export const releaseHolds = ({ due, release, log }: ReleaseHoldsDeps): Job => ({
  name: 'release-holds',
  schedule: '* * * * *',
  worksOff: 'offer-windows',
  runOnce: async (now) => {
    const waiting = due(now);
    const failed = await workOff(waiting, {
      atOnce: AT_ONCE,
      act: release,
      onFailure: (invoiceId, err) =>
        log.warn({ invoiceId, err }, 'an order is still on hold for an offer that is over'),
    });
    return { released: waiting.length - failed, failed };
  },
});

import type { Job } from '#runtime/job-runner.ts';
import type { RateLimits } from '#http/rate-limit.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { ServiceOptions } from '../shared-kernel/open-services.ts';
import type { Checkout } from './checkout.ts';
import { releaseReservations } from './contexts/inventory/release-reservations.job.ts';
import type { UnpaidInvoices } from './contexts/orders/unpaid-invoices.ts';
import { purgeIdempotency } from './engine/idempotency.ts';

export interface CommandJobsDeps extends Pick<ServiceOptions, 'settings'> {
  readonly stateStore: DocumentStore;
  readonly limits: RateLimits;
  readonly unpaidInvoices: UnpaidInvoices;
  readonly expiry: Checkout['expiry'];
  readonly log: ServiceOptions['house']['log'];
}

/** Answers under idempotency keys are kept for 48 hours. */
const purgeAnswers = ({ stateStore }: CommandJobsDeps): Job => ({
  name: 'purge-idempotency',
  schedule: '17 * * * *',
  runOnce: async (now) => {
    let removed = 0;
    for (let last = -1; last !== 0; removed += last) last = await purgeIdempotency(stateStore, now);
    return { removed };
  },
});

/** Counters whose time is over. */
const purgeCounters = ({ limits }: CommandJobsDeps): Job => ({
  name: 'purge-rate-counters',
  schedule: '*/5 * * * *',
  runOnce: async () => ({ removed: await limits.sweep() }),
});

/** What nobody paid in time is cancelled every minute. */
const expireUnpaid = ({ unpaidInvoices, expiry, settings, log }: CommandJobsDeps): Job =>
  releaseReservations({
    takeExpired: (now, max) => unpaidInvoices.takeExpired(now, settings(), max),
    putBack: unpaidInvoices.putBack,
    expire: (invoiceId) =>
      expiry.expire(invoiceId, {
        correlationId: invoiceId,
        causationId: 'release-reservations',
        actor: { kind: 'system', id: 'release-reservations' },
      }),
    log,
  });

/** What the command service does by the clock. */
export const commandJobs = (deps: CommandJobsDeps): readonly Job[] => [
  purgeAnswers(deps),
  purgeCounters(deps),
  expireUnpaid(deps),
];

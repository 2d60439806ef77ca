import type { DocumentStore } from '#ports/document-store.ts';
import type { Job } from '#runtime/job-runner.ts';
import { stuckFilter } from '#topics/delivery-steps.ts';
import { queueOfMail, type MailDelivery } from '#mails/mail-delivery.ts';
import type { DeliveryQueues } from '../../engine/delivery-queues.ts';
import type { Attempted } from '../../engine/receiver-queue.ts';
import { within } from '../../engine/within.ts';
import { dueFilter } from '../../engine/delivery-table.ts';
import { findMails, recoverMails } from './mail-rows.ts';

export interface SendMailsOptions {
  readonly stateStore: DocumentStore;
  readonly queues: Pick<DeliveryQueues, 'retry' | 'catchUp' | 'quiet'>;
  /** Takes over what an older release had queued. */
  readonly adopt: () => Promise<number>;
  /** How long a run waits for what it has started, in real time; the rest goes on behind it. Default 5,000. */
  readonly patienceMs?: number;
}

const PAGE = 200;
/** Longer than an attempt takes. */
const STUCK_AFTER_SECONDS = 60;

/** Starts what is due: further attempts, and mails whose worker was killed or never told. */
export const sendMails = ({ stateStore, queues, adopt, patienceMs = 5000 }: SendMailsOptions): Job => {
  const startDue = (rows: readonly MailDelivery[]): readonly Promise<Attempted>[] => {
    for (const queue of new Set(rows.filter(({ attemptNumber }) => attemptNumber === 0).map(queueOfMail)))
      queues.catchUp(queue);
    return rows
      .filter(({ attemptNumber }) => attemptNumber > 0)
      .flatMap((row) => queues.retry(queueOfMail(row), row._id) ?? []);
  };
  return {
    name: 'send-mails',
    schedule: '*/10 * * * * *',
    runOnce: async (now) => {
      const deadline = performance.now() + patienceMs;
      const left = (): number => Math.max(0, deadline - performance.now());
      const adopted = await adopt();
      const recovered = await recoverMails(stateStore, stuckFilter(now, STUCK_AFTER_SECONDS), now);
      const retried = { succeeded: 0, failed: 0, lost: 0 };
      let due = 0;
      let started: readonly Promise<void>[];
      do {
        const page = await findMails(stateStore, {
          filter: dueFilter(now),
          sort: [['dueAt', 1]],
          limit: PAGE,
        });
        due += page.length;
        started = startDue(page).map(async (attempt) => void retried[await attempt]++);
        await within(left(), Promise.all(started));
        await queues.quiet(left());
      } while (started.length > 0 && left() > 0);
      const { succeeded, failed } = retried;
      return { adopted, recovered, due, retried: { succeeded, failed } };
    },
  };
};

import { isoInstant } from '#kernel/clock.ts';
import { mailsCollection, type MailDelivery } from '#mails/mail-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Job } from '#runtime/job-runner.ts';
import { keepTotals } from '#runtime/mail-totals.ts';
import { purgeFilter } from '#topics/delivery-steps.ts';
import { purgeRows } from '../../engine/purge-rows.ts';
import { findMails } from './mail-rows.ts';

const DAY_MILLISECONDS = 86_400_000;

/** A configuration that has rows, after another in the order of their ids; also one that is deleted. */
const nextConfiguration = async (stateStore: DocumentStore, after: string): Promise<string | null> => {
  const filter = { configurationId: { gt: after } };
  const sort = [['configurationId', 1]] as const;
  const [row]: readonly MailDelivery[] = await findMails(stateStore, { filter, sort, limit: 1 });
  return row?.configurationId ?? null;
};

/**
 * Deletes what the log of mails need not keep any longer (docs/rules/mail-deliveries.md#log-of-mails); what they came
 * to is counted first.
 */
export const purgeMails = (stateStore: DocumentStore, retentionDays: number): Job => ({
  name: 'purge-mails',
  schedule: '29 4 * * *',
  runOnce: async (now) => {
    const before = isoInstant(now - Math.max(1, retentionDays) * DAY_MILLISECONDS);
    const old = purgeFilter(now, retentionDays);
    let purged = await purgeRows(stateStore, mailsCollection, { ...old, configurationId: null });
    for (let id = await nextConfiguration(stateStore, ''); id; id = await nextConfiguration(stateStore, id)) {
      const until = await keepTotals(stateStore, id, before);
      const filter = { ...old, configurationId: id, dateCreated: { lt: until } };
      purged += await purgeRows(stateStore, mailsCollection, filter);
    }
    return { purged };
  },
});

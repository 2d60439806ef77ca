import type { Job } from '#runtime/job-runner.ts';
import type { MailQueue } from './mail-queue.ts';

const DAY_MILLISECONDS = 24 * 3600 * 1000;

/** What was not sent at once: further tries, and what a killed process left behind. */
const sendMails = ({ sendDue }: Pick<MailQueue, 'sendDue'>): Job => ({
  name: 'send-mails',
  schedule: '*/10 * * * * *',
  runOnce: async () => ({ tried: await sendDue() }),
});

const purgeMails = ({ purge }: Pick<MailQueue, 'purge'>, retentionDays: number): Job => ({
  name: 'purge-mails',
  schedule: '29 4 * * *',
  runOnce: async (now) => ({ removed: await purge(now - retentionDays * DAY_MILLISECONDS) }),
});

export const mailJobs = (queue: MailQueue, retentionDays: number): readonly Job[] => [
  sendMails(queue),
  purgeMails(queue, retentionDays),
];

import type { CommandModule } from '#command/engine/module.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { keyFor } from '#runtime/keys.ts';
import { createMailQueue } from './mail-queue.ts';
import { mailJobs } from './send-mails.job.ts';

/** The sender where mails are files, which are never received. */
const nobody = 'no-reply@localhost';

/** A mail that takes longer is sent again by the next process. */
const STOP_MILLISECONDS = 5000;

export const mails: CommandModule = {
  name: 'mails',
  create: async (deps) => {
    const { config, keys, mailer } = deps;
    const { smtp, deliveryLogRetentionDays, ...retries } = config.mail;
    const cipher = createTextCipher(keyFor(keys.applicationKey, 'mails'));
    const queue = await createMailQueue({ ...deps, ...retries, cipher, from: smtp.from ?? nobody });
    return {
      jobs: mailJobs(queue, deliveryLogRetentionDays),
      followers: [{ name: 'mails', waitFor: (_, timeoutMs) => queue.idle(timeoutMs) }],
      actions: { mails: queue },
      stop: async () => {
        await queue.idle(STOP_MILLISECONDS);
        mailer.close();
      },
    };
  },
};

import { join } from 'node:path';
import type { CommandModule } from '#command/engine/module.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { keyFor } from '#runtime/keys.ts';
import { createMailTemplates } from '#runtime/mail-templates.ts';
import { createMailConfigurationActions } from './configurations/mail-configuration.actions.ts';
import { mailConfigurationRoutes } from './configurations/mail-configuration.routes.ts';
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
    const templates = createMailTemplates(join(config.dataDir, 'mail-templates'));
    const configurations = createMailConfigurationActions({ ...deps, templates });
    return {
      routes: mailConfigurationRoutes(configurations),
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

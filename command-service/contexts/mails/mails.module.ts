import { join } from 'node:path';
import type { CommandModule } from '#command/engine/module.ts';
import { createMailTemplates } from '#runtime/mail-templates.ts';
import { createMailConfigurationActions } from './configurations/mail-configuration.actions.ts';
import { mailConfigurationRoutes } from './configurations/mail-configuration.routes.ts';
import { createMailQueue } from './queue-mail.ts';

export const mails: CommandModule = {
  name: 'mails',
  create: async (deps) => {
    const { config, reference } = deps;
    const queue = await createMailQueue({ ...deps, mails: reference.mails });
    const templates = createMailTemplates(join(config.dataDir, 'mail-templates'));
    const configurations = createMailConfigurationActions({ ...deps, templates });
    return {
      routes: mailConfigurationRoutes(configurations),
      actions: { mails: queue },
      stop: () => queue.stop(),
    };
  },
};

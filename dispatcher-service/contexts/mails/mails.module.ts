import { join } from 'node:path';
import type { DispatcherModule } from '#dispatcher/engine/module.ts';
import { configFacts, storeFacts } from '#mails/store-facts.ts';
import { createMailTemplates } from '#runtime/mail-templates.ts';
import { emailRoutes } from './email.routes.ts';

/** The mails that the shop sends, as staff see them. */
export const mails: DispatcherModule = {
  name: 'mails',
  create: async ({ runtime, config, settings }) => ({
    routes: emailRoutes({
      mails: runtime.reference.mails,
      follower: runtime.follower,
      templates: createMailTemplates(join(config.dataDir, 'mail-templates')),
      store: () => storeFacts(settings()),
      config: () => configFacts(config.mail.smtp.from, settings()),
    }),
  }),
};

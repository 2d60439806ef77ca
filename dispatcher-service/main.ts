import { join } from 'node:path';
import { fileMailer, removeDrafts } from '#adapters/mailers/file-mailer.ts';
import type { Mailer } from '#ports/mailer.ts';
import type { Config } from '#runtime/config.ts';
import { joinContributions } from '../shared-kernel/module.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { RunningService } from '../shared-kernel/open-services.ts';
import type { DispatcherDeps } from './engine/module.ts';
import { modules, resumablesOf } from './modules.ts';

/** The package that speaks SMTP is loaded where a mail server is named. */
const mailerOf = async ({ mail: { smtp }, dataDir }: Config, isAlone: boolean): Promise<Mailer> => {
  if (smtp.url !== null) return (await import('#adapters/mailers/smtp-mailer.ts')).smtpMailer(smtp.url);
  const folder = join(dataDir, 'mails');
  await removeDrafts(folder, isAlone);
  return fileMailer(folder);
};

/** The dispatcher service: from the log to the receivers. */
export const dispatcherPlan = (applicationKey: Buffer) => {
  const opened = modules.map((module) => ({ module, followed: module.follows?.(applicationKey) }));
  return {
    parts: opened.flatMap(({ followed }) => followed ?? []),
    create: async (
      options: Omit<DispatcherDeps, 'resumables' | 'mailer' | 'deliveryLogs'>,
    ): Promise<RunningService> => {
      const { runtime, config } = options;
      const deps = {
        ...options,
        resumables: resumablesOf(runtime),
        mailer: await mailerOf(config, runtime.stateStore.isOnlyWriter),
        deliveryLogs: [],
      };
      return {
        ...joinContributions(
          // A module that follows nothing looks at nothing.
          await Promise.all(
            opened.map(({ module, followed }) => module.create(deps, followed as ReferencePart)),
          ),
        ),
        service: 'dispatcher',
        idempotency: null,
        opensBasket: null,
        start: () => undefined,
      };
    },
  };
};

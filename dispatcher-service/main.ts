import { fileMailer, removeDrafts } from '#adapters/mailers/file-mailer.ts';
import type { Mailer } from '#ports/mailer.ts';
import { joinContributions } from '../shared-kernel/module.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { RunningService } from '../shared-kernel/open-services.ts';
import { forgettingMailer, mailFilesOf } from './contexts/mail-files/forget-mail-files.ts';
import type { DispatcherDeps } from './engine/module.ts';
import { modules, resumablesOf } from './modules.ts';

/** The package that speaks SMTP is loaded where a mail server is named; files of before may still be there then. */
const mailerOf = async ({ runtime, config }: Pick<DispatcherDeps, 'runtime' | 'config'>): Promise<Mailer> => {
  const { mail, dataDir } = config;
  const files = mailFilesOf(dataDir, runtime);
  await removeDrafts(files.folder, runtime.stateStore.isOnlyWriter);
  const { url } = mail.smtp;
  if (url !== null) return (await import('#adapters/mailers/smtp-mailer.ts')).smtpMailer(url);
  return forgettingMailer(fileMailer(files.folder), files);
};

/** The dispatcher service: from the log to the receivers. */
export const dispatcherPlan = (applicationKey: Buffer) => {
  const opened = modules.map((module) => ({ module, followed: module.follows?.(applicationKey) }));
  return {
    parts: opened.flatMap(({ followed }) => followed ?? []),
    create: async (
      options: Omit<DispatcherDeps, 'resumables' | 'mailer' | 'deliveryLogs'>,
    ): Promise<RunningService> => {
      const { runtime } = options;
      const deps = {
        ...options,
        resumables: resumablesOf(runtime),
        mailer: await mailerOf(options),
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

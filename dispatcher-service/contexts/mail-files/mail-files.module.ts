import type { DispatcherModule } from '#dispatcher/engine/module.ts';
import { afterForgetting } from '#log/after-forgetting.ts';
import { forgetMailFiles, mailFilesOf } from './forget-mail-files.ts';

/** Mails that are kept as files: no server sends them, or none did before. */
export const mailFiles: DispatcherModule = {
  name: 'mail-files',
  create: async ({ runtime, config }) => {
    const options = mailFilesOf(config.dataDir, runtime);
    return afterForgetting({
      ...runtime,
      name: 'mails of the forgotten',
      // Each process may have files of its own, and a kill may have come between a mail and its check.
      isDoneAtStart: true,
      work: async (stopping) => void (await forgetMailFiles(options, stopping)),
    });
  },
};

import { join } from 'node:path';
import type { DispatcherModule } from '#dispatcher/engine/module.ts';
import { afterForgetting } from '#log/after-forgetting.ts';
import { createKeyedHash } from '#runtime/keys.ts';
import { forgetMailFiles } from './forget-mail-files.ts';

/** Mails that are kept as files, where no server sends them. */
export const mailFiles: DispatcherModule = {
  name: 'mail-files',
  create: async ({ runtime, config }) => {
    if (config.mail.smtp.url !== null) return {};
    const { codec, applicationKey } = runtime;
    const folder = join(config.dataDir, 'mails');
    const options = { ...runtime, folder, keys: codec.keys, keyedHash: createKeyedHash(applicationKey) };
    return afterForgetting({
      ...runtime,
      name: 'mails of the forgotten',
      work: async (stopping) => void (await forgetMailFiles(options, stopping)),
    });
  },
};

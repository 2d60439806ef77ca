import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mailer } from '#ports/mailer.ts';

/** They are for the user alone under whom the shop runs. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Mails as files, one a mail: `<folder>/<id>.json`. A file is written beside its place and renamed there, so that a
 * mail sent again is the same file, and half of one is never read.
 */
export const fileMailer = (folder: string): Mailer => ({
  send: async (mail) => {
    const { id, to, from, subject, text, html, dateCreated } = mail;
    try {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      const draft = join(folder, `.${id}.draft`);
      const file = await open(draft, 'w', FILE_MODE);
      try {
        const content = { id, to, from, subject, text, html, dateCreated };
        await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, join(folder, `${id}.json`));
      return { kind: 'sent' };
    } catch (error) {
      return {
        kind: 'unavailable',
        reason: (error as NodeJS.ErrnoException).code ?? 'the file was not written',
      };
    }
  },
  close: () => undefined,
});

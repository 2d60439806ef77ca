import * as fs from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Mail, Mailer } from '#ports/mailer.ts';

/** They are for the user alone under whom the shop runs. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const AT_ONCE = 16;
const DRAFT = '.draft';
/** Longer than a process takes to write a mail. */
const LONG_AGO_MILLISECONDS = 60_000;

// With descriptors: a `FileHandle` costs as much as what is done with it.
const open = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const fsync = promisify(fs.fsync);
const close = promisify(fs.close);
const rename = promisify(fs.rename);

const joined = (addresses: readonly string[]): string => addresses.join(', ');

/** What few mails have is left out of the others. */
const contentOf = ({ id, to, cc, bcc, from, subject, text, html, headers, dateCreated, ownerId }: Mail) => ({
  id,
  to: joined(to),
  ...(cc.length > 0 && { cc: joined(cc) }),
  ...(bcc.length > 0 && { bcc: joined(bcc) }),
  ...{ from, subject, text, html, dateCreated, ownerId },
  ...(Object.keys(headers).length > 0 && { headers }),
});

/** The folder is made when it is missing, at the first mail or after somebody has removed it. */
const openDraft = async (folder: string, draft: string): Promise<number> => {
  try {
    return await open(draft, 'w', FILE_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    return open(draft, 'w', FILE_MODE);
  }
};

/**
 * Mails as files, one a mail: `<folder>/<id>.json`. A file is written beside its place and renamed there, so that a
 * mail sent again is the same file, and half of one is never read.
 */
export const fileMailer = (folder: string): Mailer => ({
  atOnce: AT_ONCE,
  isIdempotent: true,
  send: async (mail) => {
    try {
      const draft = join(folder, `.${mail.id}${DRAFT}`);
      const file = await openDraft(folder, draft);
      try {
        await writeFile(file, `${JSON.stringify(contentOf(mail), null, 2)}\n`);
        await fsync(file);
      } finally {
        await close(file);
      }
      await rename(draft, join(folder, `${mail.id}.json`));
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

/**
 * Removes the mails that a killed process has left half-written: their recipients may be forgotten before they are
 * written again. `isAlone`: no other process writes any; else recent ones stay.
 */
export const removeDrafts = async (folder: string, isAlone: boolean): Promise<void> => {
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names.filter((one) => one.endsWith(DRAFT))) {
    const file = join(folder, name);
    const written = await stat(file).catch(() => null);
    const isOld = written !== null && Date.now() - written.mtimeMs > LONG_AGO_MILLISECONDS;
    if (isAlone || isOld) await rm(file, { force: true });
  }
};

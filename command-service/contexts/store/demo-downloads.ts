import { access, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { makePrivateFolder } from '#runtime/private-files.ts';

const demoDownloads = fileURLToPath(new URL('./demo-downloads', import.meta.url));

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** All or nothing: a kill never leaves half of a file that is sold. */
const place = async (source: string, target: string): Promise<void> => {
  if (await isThere(target)) return;
  makePrivateFolder(dirname(target));
  const written = `${target}.new`;
  await writeFile(written, await readFile(source), { mode: 0o600 });
  await rename(written, target);
};

/**
 * Puts the files that the demo store sells where they are downloaded from; what is there stays. A shop whose disk
 * takes none is opened all the same.
 */
export const placeDemoDownloads = async (dataDir: string, log: Pick<Logger, 'warn'>): Promise<void> => {
  try {
    const entries = await readdir(demoDownloads, { recursive: true, withFileTypes: true });
    for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
      const source = join(parentPath, name);
      await place(source, join(dataDir, 'downloads', relative(demoDownloads, source)));
    }
  } catch (err) {
    log.warn({ err }, 'the files of the demo store could not be put into the folder of downloads');
  }
};

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Every file in a folder and below it, by its path in there. */
export const filesIn = (folder: string): readonly { readonly path: string; readonly bytes: Buffer }[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(folder, file), bytes: readFileSync(file) }));

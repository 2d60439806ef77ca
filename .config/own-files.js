// Finds the TypeScript files of the shop by their names. Node asks the file system about each of the eight thousand
// imports of a start, which is a fifth of its work. Plain JavaScript for old Nodes, which go on asking.
import { readFileSync } from 'node:fs';
import module from 'node:module';

const root = new URL('../', import.meta.url).href;
const { imports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
/** Where the folders are that names like `#kernel/ids.ts` begin with. */
const folders = new Map(
  Object.entries(imports).map(([name, folder]) => [
    name.slice(0, -1),
    new URL(folder.slice(0, -1), root).href,
  ]),
);

/** Where a file of the shop is that another one imports; null: it is something else. */
export const urlOf = (specifier, importer) => {
  if (!specifier.endsWith('.ts') || !importer || !importer.startsWith(root)) return null;
  if (specifier.startsWith('.')) return new URL(specifier, importer).href;
  const end = specifier.indexOf('/') + 1;
  const folder = folders.get(specifier.slice(0, end));
  return folder ? folder + specifier.slice(end) : null;
};

export const findOwnFiles = () => {
  if (!module.registerHooks) return;
  module.registerHooks({
    resolve(specifier, context, next) {
      const url = urlOf(specifier, context.parentURL);
      return url ? { url, format: 'module-typescript', shortCircuit: true } : next(specifier, context);
    },
  });
};

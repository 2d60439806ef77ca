import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundledName, root } from './tillroll-process.ts';

/*
 * The shop in few files: the same code, but a process that a test starts finds, reads and links a hundred files and not
 * two thousand, which is a third of its start. Each thread of the shop has an entry of its own.
 */

const bundles = join(root, 'node_modules/.cache/tillroll-tests');
const KEPT_MILLISECONDS = 86_400_000;
const services = '{shared-kernel,command-service,projection-service,dispatcher-service}/**/*.ts';
/** What tests start with node. */
const scripts = ['.config/tillroll.js', 'test/support/dying-shop.ts'];
/** What the shop starts itself, as a thread or a process. */
const started = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g;

const startedFrom = (file: string): readonly string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(started)].map(([, path = '']) =>
    join(dirname(file), path),
  );

/** Each file goes on knowing where it is in the repository: for its templates, its route, and what it requires. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
      const file = relative(root, path);
      if (file.startsWith('node_modules')) return null;
      const contents = (await readFile(path, 'utf8'))
        .replaceAll(started, (_, to: string) => {
          const name = bundledName(relative(root, resolve(dirname(path), to)));
          return `new URL('./${name}', import.meta['url'])`;
        })
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    }),
};

/** Bundles of former sources, which no run uses any more. */
const removeOld = (): void => {
  for (const name of readdirSync(bundles)) {
    const path = join(bundles, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MILLISECONDS)
      rmSync(path, { recursive: true, force: true });
  }
};

/** Bundles the shop as its source is now. Resolves with the folder, whose name says what is in it. */
export const bundleShop = async (): Promise<string> => {
  const threads = globSync(services, { cwd: root }).flatMap(startedFrom);
  const { outputFiles } = await build({
    entryPoints: [...scripts, ...threads].map((file) => ({
      in: join(root, file),
      out: basename(bundledName(file), '.mjs'),
    })),
    ...{ bundle: true, splitting: true, write: false, packages: 'external', plugins: [keepPlaces] },
    ...{ format: 'esm', platform: 'node', target: 'esnext' },
    ...{ outdir: bundles, outExtension: { '.js': '.mjs' } },
  });
  const key = createHash('sha256');
  for (const { path, hash } of outputFiles) key.update(`${path} ${hash}\n`);
  const bundle = join(bundles, key.digest('hex').slice(0, 16));
  if (existsSync(bundle)) return bundle;
  mkdirSync(bundles, { recursive: true });
  removeOld();
  const written = mkdtempSync(join(bundles, 'new-'));
  for (const { path, contents } of outputFiles) writeFileSync(join(written, basename(path)), contents);
  try {
    renameSync(written, bundle);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(bundle)) throw error;
    rmSync(written, { recursive: true });
  }
  return bundle;
};

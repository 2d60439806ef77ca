// The Node that everything runs on, and how the processes of the shop use it. Plain JavaScript for old ones.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { findOwnFiles } from './own-files.js';

export const pathOf = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));

/** The version that package.json pins, and where the install puts it: not in the image, which is that Node. */
export const pinnedVersion = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')).devDependencies.node;
export const pinnedNode = pathOf(`node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`);

/**
 * Before the first TypeScript file, as a thread that finds one file outside the compile cache loads Node's TypeScript
 * compiler and keeps its 20 MB.
 */
export const setUpRuntime = () => {
  // By a half at a time: a little more collecting for much less memory. Before the cache, which is kept by flags.
  setFlagsFromString('--heap-growing-percent=50');
  // Threads look into the environment.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || pathOf('node_modules/.cache/tillroll');
  if (module.enableCompileCache) module.enableCompileCache();
  findOwnFiles();
};

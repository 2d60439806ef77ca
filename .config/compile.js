// Fills the compile cache, so that not even the first start loads a TypeScript compiler. Runs when packages are
// installed and when the image is built, on the pinned Node.
import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { pathOf, setUpRuntime } from './runtime.js';

const folders = ['shared-kernel', 'command-service', 'projection-service', 'dispatcher-service'];
const filesIn = (folder) =>
  readdirSync(pathOf(folder), { recursive: true }).map((file) => `${folder}/${file}`);

setUpRuntime();
for (const file of ['tillroll.ts', ...folders.flatMap(filesIn)]) {
  // What cannot run here, as the entry of a thread, is compiled all the same.
  if (file.endsWith('.ts')) await import(pathToFileURL(pathOf(file)).href).catch(() => undefined);
}

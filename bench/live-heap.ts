import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into a shop with `--expose-gc --import`. At SIGUSR2 it writes into the file HEAP_FILE how much is alive on the
 * heap (MB), after everything else was collected.
 */

const file = process.env['HEAP_FILE'];
if (isMainThread && file !== undefined) {
  process.on('SIGUSR2', () => {
    for (let pass = 0; pass < 3; pass++) globalThis.gc?.();
    writeFileSync(file, String(process.memoryUsage().heapUsed / 2 ** 20));
  });
}

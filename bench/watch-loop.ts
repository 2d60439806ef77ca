import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into a shop with `--import`. Four times a second it notes in the file LOOP_FILE: the time, the longest pause
 * of the event loop since (ms), and the resident memory (MB).
 */

const EVERY_MS = 250;
const RESOLUTION_MS = 5;

const file = process.env['LOOP_FILE'];
if (isMainThread && file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  setInterval(() => {
    const megabytes = process.memoryUsage.rss() / 1024 / 1024;
    appendFileSync(file, `${Date.now()} ${delays.max / 1e6} ${megabytes}\n`);
    delays.reset();
  }, EVERY_MS).unref();
}

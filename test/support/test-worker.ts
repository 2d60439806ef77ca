import { readFileSync } from 'node:fs';
import type { MochaOptions } from 'mocha';
import { runTestFile } from './test-file.ts';

/* A process of run-tests.ts: is told a test file, runs it, tells what came of it, and again. */

const { timeout } = JSON.parse(readFileSync('.mocharc.json', 'utf8')) as MochaOptions;

process.on('message', (file: string) => {
  void runTestFile(file, { timeout, forbidOnly: true }).then((result) => process.send?.(result));
});
// By exit() and not by a signal, so that what tests have started is ended with it.
for (const end of ['disconnect', 'SIGINT', 'SIGTERM'] as const) process.once(end, () => process.exit(0));

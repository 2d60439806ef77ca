import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { schemasInUse } from './agents/answer-schemas.ts';
import { bundleShop } from './bundled-shop.ts';
import type { FileResult, TestResult } from './test-file.ts';
import { printReport } from './test-report.ts';
import { root } from './tillroll-process.ts';

/*
 * Runs test files side by side, each in one of several processes: node test/support/run-tests.ts [--jobs n] <pattern>…
 * Each process runs many files, one after the other, for loading the code is most of a short file's time.
 */

/** They mostly wait, for a server or for what does not answer: they run beside the others and take no core. */
const waiting = /-outage\.test\.ts$|\/(kafka-bus|eventstoredb-adapter|purchases-abroad)\.test\.ts$/;
/** Those that look at how long something takes, or want every core for themselves: nothing runs beside them. */
const timed = /failures\/f(21-kill-storm|23-two-workers-on|30|37)-/;
/** Of these, those that mostly wait, for slow receivers and for engines that are away, run beside each other. */
const waitingAlone = /failures\/f(23-two-workers|30-engines-away)-on-servers\.test\.ts$/;

/** These have one server between them, which is emptied for each. */
const oneServer = /[-/]on-servers\.test\.ts$|\/(eventstoredb-event-store|purchases-abroad)\.test\.ts$/;
const hasOneServer = Boolean(process.env['TEST_EVENT_STORE_RESET']);
const isAlone = (file: string): boolean => timed.test(file) || (hasOneServer && oneServer.test(file));
const isAloneWithOthers = (file: string): boolean => waitingAlone.test(file) && !hasOneServer;

/**
 * The longest first, so that no process waits for one of them at the end: by the CPU that the runner prints, for a file
 * that has a core to itself takes that long.
 */
const longest: readonly string[] = [
  'failures/f49-',
  'failures/f21-',
  'failures/killed-half-way',
  'failures/f22-dispatcher-killed-on-servers',
  'journeys/on-servers',
  'failures/f31-',
  'architecture/how-to-add',
  'failures/killed-payments-elsewhere',
  'contract/sqlite-document-store',
  'journeys/',
  'failures/f02-',
  'failures/f08-',
  'failures/compile-cache',
  'failures/killed-',
  'contract/',
  'architecture/import-rules',
  'failures/',
  'api/simulation/',
  'api/http/backoffice-users',
];

const rank = (file: string): number => {
  const place = longest.findIndex((start) => file.startsWith(`test/${start}`));
  return place < 0 ? longest.length : place;
};

/** The process ended: the file fails, whatever its tests did. */
const crashed = (file: string, how: string): TestResult => {
  const message = `Its process ended (${how}) before it was done.`;
  return {
    outcome: 'failed',
    titles: [`${file} ended its process`],
    error: { name: 'Error', message, stack: message },
  };
};

/** A process that runs test files, one after the other. */
class TestWorker {
  readonly #process: ChildProcess;
  readonly #ended: Promise<string>;

  constructor(place: number, jobs: number) {
    this.#process = fork(new URL('./test-worker.ts', import.meta.url), {
      cwd: root,
      env: {
        ...process.env,
        TEST_WORKER: `${place}/${jobs}`,
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tillroll'),
      },
    });
    this.#ended = once(this.#process, 'exit').then(([code, signal]) => String(signal ?? `exit code ${code}`));
  }

  /** Resolves with the file's result, or with how the process ended instead. */
  async run(file: string): Promise<FileResult | string> {
    const reported = Promise.withResolvers<FileResult>();
    this.#process.once('message', reported.resolve);
    // Where it cannot be sent the process has ended, which is what this resolves with.
    this.#process.send(file, () => undefined);
    return Promise.race([reported.promise, this.#ended]);
  }

  /** Resolves with how it ended, if not in good order. */
  async end(): Promise<string | null> {
    if (this.#process.connected) this.#process.disconnect();
    const how = await this.#ended;
    return how === 'exit code 0' ? null : how;
  }
}

/** Runs files of the queue until it is empty, in one process for as long as that lives. */
const work = async (
  queue: string[],
  place: number,
  jobs: number,
  report: (result: FileResult) => void,
): Promise<void> => {
  let worker: TestWorker | undefined;
  let last = '';
  for (let file = queue.shift(); file; file = queue.shift()) {
    const began = performance.now();
    worker ??= new TestWorker(place, jobs);
    last = file;
    const result = await worker.run(file);
    if (typeof result !== 'string') {
      report(result);
      continue;
    }
    worker = undefined;
    report({ file, tests: [crashed(file, result)], milliseconds: performance.now() - began });
  }
  const how = await worker?.end();
  if (how) report({ file: last, tests: [crashed(last, how)], milliseconds: 0 });
};

const run = async (patterns: readonly string[], jobs: number): Promise<boolean> => {
  const began = performance.now();
  const files = globSync([...patterns], { cwd: root }).sort(
    (one, other) => rank(one) - rank(other) || (one < other ? -1 : 1),
  );
  const results: FileResult[] = [];
  const report = (result: FileResult): void => {
    results.push(result);
    const seconds = (result.milliseconds / 1000).toFixed(1).padStart(6);
    const cpu = result.cpuSeconds === undefined ? '' : `${result.cpuSeconds.toFixed(1)} s CPU`;
    const place = String(results.length).padStart(String(files.length).length);
    console.log(`[${place}/${files.length}] ${seconds} s ${cpu.padStart(11)}  ${result.file}`);
    // At once, and once more in full at the end, which an interrupted run does not reach.
    for (const { outcome, titles, error } of result.tests)
      if (outcome === 'failed') console.log(`    FAILED ${titles.join(' ')}: ${error?.message}`);
  };
  const single = files.filter((file) => isAlone(file));
  const idle = files.filter((file) => waiting.test(file) && !isAlone(file));
  const busy = files.filter((file) => !single.includes(file) && !idle.includes(file));
  const runLane = (queue: string[], place: number) => work(queue, place, jobs + idle.length, report);
  const waited = Promise.all(idle.map((file, index) => runLane([file], jobs + index)));
  await Promise.all([
    ...Array.from({ length: jobs }, (_, place) => runLane(busy, place)),
    // With as many processes as cores a third of these goes unused: they wait for a disk, or for a shop to start.
    waited.then(() => (idle.length > 0 ? runLane(busy, jobs) : undefined)),
  ]);
  const together = single.filter((file) => isAloneWithOthers(file));
  const apart = single.filter((file) => !together.includes(file));
  await work(apart, 0, 1, report);
  await Promise.all(together.map((file, place) => work([file], place, together.length, report)));
  const missing = files.filter((file) => !results.some((result) => result.file === file));
  if (missing.length) throw new Error(`did not report: ${missing.join(', ')}`);
  return printReport(results, performance.now() - began);
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string', default: String(availableParallelism()) } },
});
process.env['TEST_BUNDLE'] = await bundleShop();
console.log(`Answers to agents are held to ${schemasInUse()}.`);
const isGood = await run(positionals, Number(values.jobs));
process.exit(isGood ? 0 : 1);

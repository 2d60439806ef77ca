import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '#kernel/defined.ts';
import type { Service } from '#values/service.ts';
import { freePort } from '#test/support/free-port.ts';
import { backofficeKey } from './backoffice.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Everything that was started here and still runs: nothing outlives the benchmark. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const command = (core: number | null, args: readonly string[]): readonly [string, readonly string[]] =>
  core === null ? [process.execPath, args] : ['taskset', ['-c', String(core), process.execPath, ...args]];

/**
 * For a shop into which TypeScript of ours is preloaded: out of the cache as its own is, or it would hold the compiler
 * for our sake.
 */
export const compileCache = join(root, 'node_modules/.cache/tillroll');

/** What runs a version of the shop, as its `npm start` does: options of Node, and the script. */
export const appOf = (sources = root): readonly string[] => {
  const { scripts } = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly app: string };
  };
  return scripts.app.split(' ').slice(1);
};

interface StartOptions {
  /** Where the sources are that it runs. Default: ours. */
  readonly root?: string;
  /** The core to which it is pinned; null: any. */
  readonly core: number | null;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where its output goes; without it, to ours. */
  readonly outputFile?: string;
  readonly hasChannel?: boolean;
}

/** Pinned to a core if wanted. `taskset` replaces itself by Node, so that the child's pid is the server's. */
export const start = (options: StartOptions): ChildProcess => {
  const { core, args, env, outputFile, hasChannel = true } = options;
  const [file, all] = command(core, args);
  const output = outputFile === undefined ? null : openSync(outputFile, 'a');
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(file, all, {
    cwd: options.root ?? root,
    env: { PATH, HOME, TMPDIR, ...env },
    stdio: ['ignore', output ?? 2, output ?? 2, ...(hasChannel ? (['ipc'] as const) : [])],
  });
  if (output !== null) closeSync(output);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
};

export const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

export const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
};

const statusOf = (port: number, path: string): Promise<number | null> =>
  new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path, agent: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
  });

const LOOK_EVERY_MS = 10;
const testingSecret = 'bench';
/** One for all processes of a benchmark: what one of them encrypts another opens. */
export const applicationKey = randomBytes(32).toString('base64');

/** Everybody shops from one address here: counted, and never too many. */
const crowdLimits = [
  'Checkout__openInvoicesPerAddress',
  'Checkout__heldUnitsPerAddress',
  'Checkout__newCustomersPerMinute',
  'Store__newBasketsPerMinute',
  'Storefront__keptAnswersPerMinute',
];

/** Those that this version of the sources has: a start refuses what it does not know. */
const crowdSettings = (sources: string): Readonly<Record<string, string>> => {
  const settings = ['shared-kernel/runtime/config-sections.ts', 'shared-kernel/values/store-settings.ts']
    .map((file) => readFileSync(join(sources, file), 'utf8'))
    .join();
  const known = crowdLimits.filter((name) => settings.includes(` ${name.split('__')[1]}: `));
  return Object.fromEntries(known.map((name) => [name, '100000000']));
};

export interface Shop {
  readonly pid: number;
  readonly port: number;
  /** From the start of the process to the first 200 of /health/ready. */
  readonly readyAfterMs: number;
  stop(): Promise<void>;
  /** As a power cut does it. */
  kill(): Promise<void>;
}

export interface ShopOptions {
  /** Where the sources of another version are. */
  readonly root?: string;
  readonly core: number | null;
  readonly dataDir: string;
  readonly storeFile: string;
  /** Where the shop's log lines go. */
  readonly outputFile: string;
  readonly patienceMs?: number;
  readonly nodeOptions?: readonly string[];
  /** One service on its own. Default: all of them in one process. */
  readonly service?: Service;
  /** Over the usual settings; undefined leaves one out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Starts the shop as its users do and waits until it is ready. Errors: with what it printed last. */
export const startShop = async (options: ShopOptions): Promise<Shop> => {
  const { core, dataDir, storeFile, outputFile, patienceMs = 120_000, nodeOptions = [] } = options;
  const service = options.service ? [options.service] : [];
  const port = await freePort();
  const startedAt = performance.now();
  const child = start({
    ...defined({ root: options.root }),
    core,
    args: [...nodeOptions, ...appOf(options.root), 'start', ...service],
    env: {
      PORT: String(port),
      DATA_DIR: dataDir,
      STORE_FILE: storeFile,
      APPLICATION_KEY: applicationKey,
      BACKOFFICE_API_KEY: backofficeKey,
      TESTING_SECRET: testingSecret,
      ALLOW_LOOPBACK_TARGETS: 'true',
      ...crowdSettings(options.root ?? root),
      ...options.env,
    },
    outputFile,
    hasChannel: false,
  });
  while ((await statusOf(port, '/health/ready')) !== 200) {
    if (hasEnded(child) || performance.now() - startedAt > patienceMs) {
      await end(child, 'SIGKILL');
      const printed = readFileSync(outputFile, 'utf8').slice(-3000);
      throw new Error(`the shop did not become ready; it printed:\n${printed}`);
    }
    await pause(LOOK_EVERY_MS);
  }
  return {
    pid: child.pid ?? 0,
    port,
    readyAfterMs: performance.now() - startedAt,
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  };
};

/** A helper that prints a line when it is there, which is what it answers. */
export const startServer = async (
  args: readonly string[],
): Promise<{ readonly line: string; readonly pid: number; stop(): Promise<void> }> => {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { line, pid: child.pid ?? 0, stop: () => end(child, 'SIGTERM') };
};

const askAsTester = (port: number, path: string, body: object = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/testing${path}`, {
    method: 'POST',
    headers: { 'testing-secret': testingSecret, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Runs a job once, now. Errors: it did not end well. */
export const runTestJob = async (
  port: number,
  name: string,
): Promise<{ readonly ms: number; readonly summary: Readonly<Record<string, unknown>> }> => {
  const begun = performance.now();
  const response = await askAsTester(port, `/jobs/${name}`);
  const text = await response.text();
  const ms = performance.now() - begun;
  if (response.status !== 200) throw new Error(`the job ${name} answered ${response.status}: ${text}`);
  return { ms, summary: JSON.parse(text) as Readonly<Record<string, unknown>> };
};

/** Moves the shop's clock on. */
export const advanceClock = async (port: number, advanceSeconds: number): Promise<void> => {
  const { status } = await askAsTester(port, '/clock', { advanceSeconds });
  if (status !== 200) throw new Error(`/testing/clock answered ${status}`);
};

/** Waits until nothing lags behind the log: reference state, projections and processes have seen its head. */
export const untilSettled = async (port: number): Promise<void> => {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/testing/settle`, {
      method: 'POST',
      headers: { 'testing-secret': testingSecret },
    });
    if (response.status === 200 || response.status === 204) return;
    if (response.status !== 504) throw new Error(`/testing/settle answered ${response.status}`);
  }
};

/** Runs a command of the shop to its end and looks at it now and then. Errors: with what it printed last. */
export const runToEnd = async (
  options: Omit<StartOptions, 'core' | 'hasChannel'> & { readonly outputFile: string },
  lookEveryMs: number,
  look: (pid: number) => void,
): Promise<void> => {
  const { args, outputFile } = options;
  const child = start({ ...options, core: null, hasChannel: false });
  const timer = setInterval(() => look(child.pid ?? 0), lookEveryMs);
  await once(child, 'exit');
  clearInterval(timer);
  if (child.exitCode === 0) return;
  throw new Error(
    `${args.join(' ')} did not end well; it printed:\n${readFileSync(outputFile, 'utf8').slice(-3000)}`,
  );
};

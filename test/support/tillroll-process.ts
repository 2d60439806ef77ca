import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { API_KEY, ShopAt, TESTING_SECRET } from './shop.ts';

/** Where Tillroll itself is. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The folder into which run-tests.ts has bundled the shop; without it processes run the source. */
export const bundle = process.env['TEST_BUNDLE'];
/** A start is mostly loading. */
export const compileCache = bundle ? join(bundle, 'compiled') : join(root, 'node_modules/.cache/tillroll');
/** What a bundle calls the file of the source that it begins with: all in one folder, so that each finds the others. */
export const bundledName = (source: string): string =>
  `${source.replaceAll('/', '_').replace(/\.[jt]s$/, '')}.mjs`;
/** What node is to run for a script of the source, its path in the repository. */
export const scriptOf = (source: string): string => (bundle ? join(bundle, bundledName(source)) : source);
/** How long one may take to become ready, on a machine that has other things to do. */
const PATIENCE_MILLISECONDS = 120_000;
const LOOK_EVERY_MILLISECONDS = 50;
const KEPT_CHARACTERS = 4000;

/** Everything that was started here and still runs: nothing outlives the tests. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The usual settings of a process that keeps its files in this folder, and over them the given ones. */
export const processEnvironment = (folder: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    ...{ PATH, HOME, TMPDIR },
    DATA_DIR: folder,
    TESTING_SECRET,
    BACKOFFICE_API_KEY: API_KEY,
    LOG_LEVEL: 'warn',
    // Everybody shops from one address here.
    Checkout__OpenInvoicesPerAddress: '0',
    Checkout__HeldUnitsPerAddress: '0',
    Checkout__NewCustomersPerMinute: '0',
    Store__newBasketsPerMinute: '0',
    Storefront__KeptAnswersPerMinute: '0',
    NODE_COMPILE_CACHE: compileCache,
    ...env,
  };
};

/** What STORE_FILE is to name. */
export const writeStoreFile = (folder: string, store: object): string => {
  const file = join(folder, 'store.json');
  writeFileSync(file, JSON.stringify(store));
  return file;
};

export interface TillrollProcessOptions {
  /** As in 'the shop did not stop in order'. */
  readonly name: string;
  readonly port: number;
  readonly environment: NodeJS.ProcessEnv;
}

/** A shop, or a service of it, in a process of its own, always on the same port: to be killed and started again. */
export abstract class TillrollProcess extends ShopAt {
  readonly port: number;
  readonly #name: string;
  readonly #environment: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();
  #ready: Promise<void> = Promise.resolve();
  #printed = '';

  constructor({ name, port, environment }: TillrollProcessOptions) {
    super(`http://127.0.0.1:${port}`);
    this.port = port;
    this.#name = name;
    this.#environment = { ...environment, PORT: String(port) };
  }

  /** Starts a process on what the last one left. */
  abstract launch(): void;

  /** Starts a process on what the last one left, and waits until it is ready. */
  async start(): Promise<void> {
    this.launch();
    await this.ready();
  }

  /** Resolves once /health/ready answers 200. Errors: with what the process printed last. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** As a power cut does it. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  /** In good order. Errors: the process did not end well. */
  async stop(): Promise<void> {
    this.#child?.kill('SIGTERM');
    await this.#ended;
    if (this.#child?.exitCode !== 0)
      throw new Error(`${this.#name} did not stop in order:\n${this.#printed}`);
  }

  /** Resolves once the process has killed itself. Errors: it ended in another way. */
  async died(): Promise<void> {
    await this.#ended;
    if (this.#child?.signalCode !== 'SIGKILL')
      throw new Error(
        `${this.#name} should have died and ended with ${this.#child?.exitCode}; it printed:\n${this.#printed}`,
      );
  }

  /** Resolves once the process has come to its end. Errors: it ended in another way. */
  async finished(): Promise<void> {
    await this.#ended;
    if (this.#child?.exitCode !== 0)
      throw new Error(`${this.#name} ended with ${this.#child?.exitCode}; it printed:\n${this.#printed}`);
  }

  /** Of the process that was started last. Errors: none was. */
  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error(`${this.#name} does not run`);
    return pid;
  }

  /** What it printed last. */
  get printed(): string {
    return this.#printed;
  }

  /** For a script that is going to answer at the port. */
  protected serve(script: readonly string[]): void {
    this.#ready = this.#untilReady(this.run(script));
    // Those who wait for it are told; a process that is killed while it starts is nobody's error.
    this.#ready.catch(() => undefined);
  }

  protected run(script: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, script, {
      cwd: root,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    this.#printed = '';
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => {
        this.#printed = (this.#printed + text).slice(-KEPT_CHARACTERS);
      });
    }
    this.#child = child;
    // Not `exit`: what it said last may come after that.
    this.#ended = once(child, 'close').then(() => void running.delete(child));
    return child;
  }

  async #untilReady(child: ChildProcess): Promise<void> {
    const givesUpAt = performance.now() + PATIENCE_MILLISECONDS;
    let answered = 'nothing';
    for (;;) {
      if (!running.has(child) || performance.now() > givesUpAt)
        throw new Error(
          `${this.#name} did not become ready; it answered ${answered} and printed:\n${this.#printed}`,
        );
      const answer = await this.tester.get('/health/ready').catch(() => null);
      if (answer?.status === 200) return;
      if (answer) answered = `${answer.status} ${JSON.stringify(answer.body)}`;
      await pause(LOOK_EVERY_MILLISECONDS);
    }
  }
}

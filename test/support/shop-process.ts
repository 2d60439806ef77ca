import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { auditShop, type Acknowledged, type Audit } from './audit-shop.ts';
import { Browser, Shopper, TESTING_SECRET } from './shop.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const API_KEY = 'a-backoffice-key-for-tests';
const LOOK_EVERY_MILLISECONDS = 10;
const PATIENCE_MILLISECONDS = 30_000;
/** Below the ports that systems hand out to outgoing connections, so that ours is still free after a kill. */
const PORTS = { first: 20_000, count: 10_000 };

/** The append around which a process kills itself: the n-th one that holds an event of this type. */
export interface Death {
  readonly when: 'before' | 'after';
  readonly eventType: string;
  /** Counts from 1, which is the default. */
  readonly nth?: number;
  /** Makes a race: the first discount use is claimed when so many placements have begun. */
  readonly placementsTogether?: number;
}

export interface ShopProcessOptions {
  /** What STORE_FILE holds; left out: the shipped demo store. */
  readonly storeFile?: object;
  readonly diesAt?: Death;
  /** Over the usual settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Everything that was started here and still runs: nothing outlives the tests. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** One that nobody listens on, and that no outgoing connection takes. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
};

/**
 * The real shop in a process of its own, on a data folder that outlives it: to be killed and started again. Always on
 * the same port, so that shoppers keep their address.
 */
export class ShopProcess {
  readonly dataDir: string;
  readonly admin: Browser;
  readonly tester: Browser;
  readonly #base: string;
  readonly #environment: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();
  #ready: Promise<void> = Promise.resolve();
  #printed = '';

  private constructor(port: number, dataDir: string, { storeFile, env }: ShopProcessOptions) {
    this.dataDir = dataDir;
    this.#base = `http://127.0.0.1:${port}`;
    this.admin = new Browser(this.#base, { Authorization: `Bearer ${API_KEY}` });
    this.tester = new Browser(this.#base, { 'Testing-Secret': TESTING_SECRET });
    const { PATH, HOME, TMPDIR } = process.env;
    this.#environment = {
      ...{ PATH, HOME, TMPDIR },
      PORT: String(port),
      DATA_DIR: dataDir,
      TESTING_SECRET,
      BACKOFFICE_API_KEY: API_KEY,
      LOG_LEVEL: 'warn',
      // Starting is most of what these tests do.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tillroll'),
      ...env,
    };
    if (storeFile === undefined) return;
    const file = join(dataDir, 'store.json');
    writeFileSync(file, JSON.stringify(storeFile));
    this.#environment['STORE_FILE'] = file;
  }

  /** A new data folder and a shop on it, which is ready unless it is to die while it starts. */
  static async open(options: ShopProcessOptions = {}): Promise<ShopProcess> {
    const shop = await ShopProcess.#create(options);
    shop.launch(options.diesAt);
    if (!options.diesAt) await shop.ready();
    return shop;
  }

  /** A new data folder and `tillroll simulate` at work on it; where that has ended, a shop can be started. */
  static async simulate(
    args: readonly string[],
    options: Omit<ShopProcessOptions, 'diesAt'>,
  ): Promise<ShopProcess> {
    const shop = await ShopProcess.#create(options);
    shop.#spawn(['tillroll.ts', 'simulate', ...args]);
    return shop;
  }

  static async #create(options: ShopProcessOptions): Promise<ShopProcess> {
    return new ShopProcess(await freePort(), mkdtempSync(join(tmpdir(), 'tillroll-shop-')), options);
  }

  /** Starts a process on the data that the last one left. */
  launch(diesAt?: Death): void {
    const script = diesAt ? ['test/support/dying-shop.ts', JSON.stringify(diesAt)] : ['tillroll.ts', 'start'];
    this.#ready = this.#untilReady(this.#spawn(script));
    // Whoever waits for it is told; a process that is killed while it starts is nobody's error.
    this.#ready.catch(() => undefined);
  }

  #spawn(script: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, script, {
      cwd: root,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    this.#printed = '';
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => {
        this.#printed = (this.#printed + text).slice(-4000);
      });
    }
    this.#child = child;
    // Not `exit`: what it said last may come after that.
    this.#ended = once(child, 'close').then(() => void running.delete(child));
    return child;
  }

  /** Resolves once /health/ready answers 200. Errors: with what the process printed last, when it ended instead. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Starts a process on the data that the last one left, and waits until it is ready. */
  async start(): Promise<void> {
    this.launch();
    await this.ready();
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
    if (this.#child?.exitCode !== 0) throw new Error(`the shop did not stop in order:\n${this.#printed}`);
  }

  /** Resolves once the process has killed itself. Errors: it ended in another way. */
  async died(): Promise<void> {
    await this.#ended;
    if (this.#child?.signalCode !== 'SIGKILL')
      throw new Error(
        `the shop should have died and ended with ${this.#child?.exitCode}; it printed:\n${this.#printed}`,
      );
  }

  shopper(): Shopper {
    return new Shopper(this.#base);
  }

  /** Waits until everything that follows the log has passed its head. */
  async settle(): Promise<void> {
    const { status, body } = await this.tester.post('/testing/settle');
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  async charges(): Promise<readonly { invoiceId: string; amount: number; idempotencyKey: string }[]> {
    return (await this.tester.get('/testing/sandbox-charges')).body;
  }

  /** Lets everything come to rest, stops in good order and checks the data that is left. */
  async audit(acknowledged: Acknowledged = {}): Promise<Audit> {
    await this.settle();
    await this.stop();
    return auditShop({ dataDir: this.dataDir, acknowledged });
  }

  /** Ends the process and removes its data. */
  async close(): Promise<void> {
    await this.kill();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #untilReady(child: ChildProcess): Promise<void> {
    const givesUpAt = performance.now() + PATIENCE_MILLISECONDS;
    for (;;) {
      if (!running.has(child)) {
        const how = `${child.signalCode ?? child.exitCode}`;
        throw new Error(`the shop ended (${how}) before it was ready; it printed:\n${this.#printed}`);
      }
      const status = await this.tester.get('/health/ready').then(
        (answer) => answer.status,
        () => null,
      );
      if (status === 200) return;
      if (performance.now() > givesUpAt)
        throw new Error(`the shop did not become ready; it printed:\n${this.#printed}`);
      await pause(LOOK_EVERY_MILLISECONDS);
    }
  }
}

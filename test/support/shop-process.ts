import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditShop, type Acknowledged, type Audit } from './audit-shop.ts';
import { freePort } from './free-port.ts';
import { processEnvironment, scriptOf, TillrollProcess, writeStoreFile } from './tillroll-process.ts';

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
  /** Where its data folder is made. Default: among the temporary files. */
  readonly within?: string;
  /** Over the usual settings; undefined leaves one out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Runs the source itself, as `npm start` does, however the others are run. */
  readonly fromSource?: boolean;
}

/** The real shop in a process of its own, on a data folder that outlives it. */
export class ShopProcess extends TillrollProcess {
  readonly dataDir: string;
  readonly #script: string;

  private constructor(
    port: number,
    dataDir: string,
    { storeFile, env, fromSource = false }: ShopProcessOptions,
  ) {
    const store = storeFile ? { STORE_FILE: writeStoreFile(dataDir, storeFile) } : {};
    super({
      name: 'the shop',
      port,
      environment: processEnvironment(dataDir, { ...env, ...store }),
    });
    this.dataDir = dataDir;
    this.#script = fromSource ? '.config/tillroll.js' : scriptOf('.config/tillroll.js');
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
    shop.run([shop.#script, 'simulate', ...args]);
    return shop;
  }

  static async #create(options: ShopProcessOptions): Promise<ShopProcess> {
    const { within = tmpdir() } = options;
    return new ShopProcess(await freePort(), mkdtempSync(join(within, 'tillroll-shop-')), options);
  }

  /** A shop on a data folder that is there, to be started. */
  static async on(
    dataDir: string,
    options: Omit<ShopProcessOptions, 'diesAt' | 'within'> = {},
  ): Promise<ShopProcess> {
    return new ShopProcess(await freePort(), dataDir, options);
  }

  override launch(diesAt?: Death): void {
    this.serve(
      diesAt
        ? [
            '--import',
            './test/support/as-the-shop-runs.mjs',
            scriptOf('test/support/dying-shop.ts'),
            JSON.stringify(diesAt),
          ]
        : [this.#script, 'start'],
    );
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
}

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seconds, whole } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { compileCache, startShop, untilSettled, type Shop } from './processes.ts';
import type { BenchStore } from './store.ts';
import { startLoad, type Load } from './workers.ts';

/** A shop that has imported its store and was started again, with what its event loop has noted. */
export interface Stocked {
  readonly shop: Shop;
  readonly load: Load;
  /** The longest pause (ms) and the most memory (MB) from a time on. */
  readonly noted: (from: number) => { readonly pauseMs: number; readonly megabytes: number };
  stop(): Promise<void>;
}

/**
 * Imports a store into a shop of its own and starts it again, so that it loads from snapshots. `fill`
 * may add to the log while the shop is stopped.
 */
export const stock = async (
  bench: Bench,
  name: string,
  { file, productIds }: BenchStore,
  settings: Readonly<Record<string, string>> = {},
  fill: (dataDir: string) => Promise<void> = async () => undefined,
): Promise<Stocked> => {
  const dataDir = join(bench.folder, name);
  mkdirSync(dataDir);
  const storeFile = join(dataDir, 'store.json');
  writeFileSync(storeFile, JSON.stringify(file));
  const loopFile = join(dataDir, 'loop.txt');
  const options = {
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile,
    outputFile: join(dataDir, 'shop.log'),
    patienceMs: 1_800_000,
    nodeOptions: ['--import', fileURLToPath(new URL('./watch-loop.ts', import.meta.url))],
    env: { ...settings, LOOP_FILE: loopFile, NODE_COMPILE_CACHE: compileCache },
  };
  bench.say(`${name}: importing a store of ${whole(productIds.length)} variants`);
  const first = await startShop(options);
  await untilSettled(first.port);
  await first.stop();
  bench.say(`${name}: imported in ${seconds(first.readyAfterMs)}`);
  await fill(dataDir);
  const shop = await startShop(options);
  await untilSettled(shop.port);
  const load = await startLoad(bench.pinning?.load ?? null, productIds);
  return {
    shop,
    load,
    noted: (from) => {
      const rows = readFileSync(loopFile, 'utf8').trim().split('\n');
      const since = rows.map((row) => row.split(' ').map(Number)).filter(([at = 0]) => at >= from);
      return {
        pauseMs: Math.max(...since.map(([, ms = 0]) => ms)),
        megabytes: Math.max(...since.map(([, , megabytes = 0]) => megabytes)),
      };
    },
    stop: async () => {
      await load.stop();
      await shop.stop();
    },
  };
};

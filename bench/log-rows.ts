import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median, percent, seconds, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { startShop, untilSettled } from './processes.ts';
import type { ReplayMemory, ReplayRun } from './replay.ts';
import { runModule, startLoad } from './workers.ts';

/** A shop on its own folder, with its store imported and a log of about `events` events. */
export const produceShop = async (bench: Bench, name: string, events: number): Promise<string> => {
  const dataDir = join(bench.folder, name);
  mkdirSync(dataDir);
  const shop = await startShop({
    core: null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(dataDir, 'shop.log'),
  });
  await shop.stop();
  const productsFile = join(dataDir, 'products.json');
  writeFileSync(productsFile, JSON.stringify(bench.productIds));
  const started = performance.now();
  let told = 0;
  const args = [dataDir, String(events), productsFile];
  const produced = await runModule<{ readonly events: number }>(null, './produce-log.ts', args, (share) => {
    if (share - told < 0.1) return;
    told = share;
    bench.say(`${name}: ${percent(share)} of ${whole(events)} events`);
  });
  const ms = performance.now() - started;
  bench.say(`${name}: a log of ${whole(produced.events)} events, made in ${seconds(ms)}`);
  return dataDir;
};

const REPLAY_SHARE = 0.15;
const REPLAY_SHARE_OF_TWO = 0.2;
const REPORTING_SHARE = 1 / 3;
const REPLAY_PEAK_MB = 300;
/** Memory as in a shop's thread (projection-service/engine/rebuilds/fill-in-thread.ts), its flags and compiled code. */
const likeTheThread = [
  ...['--max-semi-space-size=5', '--max-old-space-size=160'],
  ...['--import', fileURLToPath(new URL('../.config/preload.js', import.meta.url))],
];

interface Replay {
  readonly work: string;
  readonly core: number | null;
  readonly views: 'all' | 'reporting';
  readonly share: number;
}

/** Cold replay into projections against a raw scan of the same log, on one core and on two. */
export const measureReplay = async (bench: Bench, events: number): Promise<Figure[]> => {
  const dataDir = await produceShop(bench, 'replay', events);
  const server = bench.pinning?.server ?? null;
  const replays: readonly Replay[] = [
    { work: 'into all projections', core: server, views: 'all', share: REPLAY_SHARE },
    { work: 'the same on two cores', core: null, views: 'all', share: REPLAY_SHARE_OF_TWO },
    { work: 'into those of reports', core: server, views: 'reporting', share: REPORTING_SHARE },
  ];
  const figures: Figure[] = [];
  for (const replay of replays) figures.push(...(await measureOne(bench, dataDir, replay)));
  return figures;
};

const measureOne = async (
  bench: Bench,
  dataDir: string,
  { work, core, views, share }: Replay,
): Promise<readonly Figure[]> => {
  const args = [dataDir, String(bench.runs), views];
  const say = (done: number): void => bench.say(`replay ${work}: ${percent(done)} of the runs`);
  const runs = await runModule<readonly ReplayRun[]>(core, './replay.ts', args, say, likeTheThread);
  const alone = [dataDir, '0', views];
  const { peakBytes } = await runModule<ReplayMemory>(core, './replay.ts', alone, undefined, likeTheThread);
  const shares = runs.map(({ scanMs, replayMs }) => scanMs / replayMs);
  const perSecond = (ms: (run: ReplayRun) => number): string =>
    spread(
      runs.map((run) => run.events / (ms(run) / 1000)),
      whole,
    );
  const peakMb = peakBytes / 1024 / 1024;
  return [
    {
      work: `cold replay of ${whole(runs[0]?.events ?? 0)} events ${work}`,
      measured: `${spread(shares, percent)} of a raw scan: ${perSecond((run) => run.replayMs)} of ${perSecond((run) => run.scanMs)} events/s`,
      reach: `at least ${percent(share)}`,
      isReached: median(shares) >= share,
    },
    {
      work: 'its memory, that of a process of its own',
      measured: `${whole(peakMb)} MB`,
      reach: `under ${REPLAY_PEAK_MB} MB`,
      isReached: peakMb < REPLAY_PEAK_MB,
    },
  ];
};

const READY_MS = 5000;
const LOAD_BEFORE_KILL_MS = 3000;

/** Kills the shop under load; what it had not yet put into a snapshot is to be read again. */
const killUnderLoad = async (bench: Bench, dataDir: string): Promise<void> => {
  const shop = await startShop(shopOptions(bench, dataDir));
  await untilSettled(shop.port);
  const load = await startLoad(bench.pinning?.load ?? null, bench.productIds);
  const job = { kind: 'load', work: 'purchase', port: shop.port, shoppers: 16 } as const;
  const running = load.run({ ...job, warmUpMs: 0, measureMs: 10 * LOAD_BEFORE_KILL_MS });
  await Promise.race([running, pause(LOAD_BEFORE_KILL_MS)]);
  await shop.kill();
  await running.catch(() => undefined);
  await load.stop();
};

export const shopOptions = (bench: Bench, dataDir: string) => ({
  core: bench.pinning?.server ?? null,
  dataDir,
  storeFile: bench.storeFile,
  outputFile: join(dataDir, 'shop.log'),
  patienceMs: 600_000,
});

/** From the start of the process to the first 200 of /health/ready, on a long log and after a kill under load. */
export const measureStarts = async (bench: Bench, events: number): Promise<Figure[]> => {
  const dataDir = await produceShop(bench, 'start', events);
  const withSnapshots: number[] = [];
  const without: number[] = [];
  bench.say('start: letting what follows the log catch up once');
  for (let turn = 1; turn <= bench.runs; turn++) {
    await killUnderLoad(bench, dataDir);
    const first = await startShop(shopOptions(bench, dataDir));
    withSnapshots.push(first.readyAfterMs);
    await first.kill();
    await runModule(null, './drop-snapshots.ts', [dataDir]);
    const second = await startShop(shopOptions(bench, dataDir));
    without.push(second.readyAfterMs);
    // In good order, so that the snapshots are there again.
    await second.stop();
    bench.say(
      `start: run ${turn} of ${bench.runs}: ${seconds(first.readyAfterMs)} with snapshots, ${seconds(second.readyAfterMs)} without`,
    );
  }
  return [
    {
      work: `start after kill -9 under load, ${whole(events)} events, with snapshots`,
      measured: spread(withSnapshots, seconds),
      reach: 'under 5 s',
      isReached: median(withSnapshots) < READY_MS,
    },
    {
      work: 'the same without snapshots',
      measured: spread(without, seconds),
      reach: 'printed',
      isReached: null,
    },
  ];
};

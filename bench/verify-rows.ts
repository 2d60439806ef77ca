import { join } from 'node:path';
import { fileNames } from './data-folder.ts';
import { median, percent, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { produceShop } from './log-rows.ts';
import type { VerifyResult } from './verify.ts';
import { runModule } from './workers.ts';

const SHARE = 0.4;
const PER_SECOND = 100_000;
const MEGABYTES = 400;

/** `tillroll audit verify` of a shop's log against a raw scan, on one core. */
export const measureVerify = async (bench: Bench, events: number): Promise<Figure[]> => {
  const dataDir = await produceShop(bench, 'verify', events);
  const server = bench.pinning?.server ?? null;
  const args = [fileNames(dataDir).events, String(bench.runs)];
  const { runs } = await runModule<VerifyResult>(server, './verify.ts', args, (share) =>
    bench.say(`verify: ${percent(share)} of the runs`),
  );
  const shares = runs.map(({ scanMs, verifyMs }) => scanMs / verifyMs);
  const speeds = runs.map((run) => run.events / (run.verifyMs / 1000));
  const scans = runs.map((run) => run.events / (run.scanMs / 1000));
  return [
    {
      work: `audit verify of ${whole(runs[0]?.events ?? 0)} events: chains, seals, numbers, stock, uses, clear text`,
      measured: `${spread(shares, percent)} of a raw scan: ${spread(speeds, whole)} of ${spread(scans, whole)} events/s`,
      reach: `at least ${percent(SHARE)}, and ${whole(PER_SECOND)} events/s on a quiet core`,
      isReached: median(shares) >= SHARE && median(speeds) >= PER_SECOND,
    },
  ];
};

/** The most memory that a verification of very many streams takes, whole process. */
export const measureVerifyMemory = async (bench: Bench, streams: number): Promise<Figure[]> => {
  const file = join(bench.folder, 'streams.db');
  let told = 0;
  await runModule(null, './produce-streams.ts', [file, String(streams)], (share) => {
    if (share - told < 0.2) return;
    told = share;
    bench.say(`verify-memory: ${percent(share)} of ${whole(streams)} streams`);
  });
  const server = bench.pinning?.server ?? null;
  const { runs, peakBytes } = await runModule<VerifyResult>(server, './verify.ts', [file, '0']);
  const megabytes = peakBytes / 1_000_000;
  const [run] = runs;
  return [
    {
      work: `audit verify of ${whole(streams)} streams, memory of the process at most`,
      measured: `${whole(megabytes)} MB, ${whole((run?.events ?? 0) / ((run?.verifyMs ?? NaN) / 1000))} events/s`,
      reach: `under ${MEGABYTES} MB`,
      isReached: megabytes < MEGABYTES,
    },
  ];
};

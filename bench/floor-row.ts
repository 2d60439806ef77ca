import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { START, type StoredEvent } from '#ports/event-store.ts';
import { mean, median, milliseconds, percent, spread, whole, type Figure } from './figures.ts';
import type { AddSamples } from './floor.ts';
import { onStage, rows, times, type Bench } from './http-rows.ts';
import type { LoadResult, Work } from './load.ts';
import { startFloor } from './workers.ts';

const SHARE = 0.93;

/** What the shop's log holds of the first adds. */
const addsIn = async (file: string): Promise<readonly StoredEvent[]> => {
  const log = await openSqliteEventStore({ file, readOnly: true });
  const adds: StoredEvent[] = [];
  for (let page = await log.readAll(START); page.length > 0;) {
    adds.push(...page.filter(({ type }) => type === 'BasketLineAdded'));
    page = await log.readAll(page.at(-1)?.position ?? START);
  }
  await log.close();
  return adds;
};

/** Adds, the floor of an add and bare Express in turn, all on one core. */
export const measureFloor = (bench: Bench): Promise<Figure[]> =>
  onStage(bench, rows.add, [], async ({ shop, load, ceiling, dataDir, answers }) => {
    const folder = join(dataDir, 'floor');
    mkdirSync(folder);
    const samples: AddSamples = { answers: answers.add, events: await addsIn(join(dataDir, 'events.db')) };
    const file = join(folder, 'samples.json');
    writeFileSync(file, JSON.stringify(samples));
    const floor = await startFloor(bench.pinning?.server ?? null, file, folder);
    const { firstMs, warmUpMs, measureMs } = times(bench.isQuick);
    const { shoppers } = rows.add;
    const slice = (work: Work, port: number, from = warmUpMs, until = measureMs): Promise<LoadResult> =>
      load.run({ kind: 'load', work, port, shoppers, warmUpMs: from, measureMs: until });
    const bare = (): Promise<LoadResult> => slice('ceiling-add', ceiling.port);
    const least = (): Promise<LoadResult> => slice('ceiling-add', floor.port);
    const ours = (): Promise<LoadResult> => slice('add', shop.port);
    try {
      for (const port of [ceiling.port, floor.port]) await slice('ceiling-add', port, firstMs, 100);
      await slice('add', shop.port, firstMs, 100);
      const runs = [];
      for (let turn = 1; turn <= bench.runs; turn++) {
        // There and back, so that whatever drifts is the same for all.
        const there = [await bare(), await least(), await ours()] as const;
        const back = [await ours(), await least(), await bare()] as const;
        const ceilingSpeed = mean([there[0].perSecond, back[2].perSecond]);
        const speed = mean([there[1].perSecond, back[1].perSecond]);
        const share = mean([there[2].perSecond, back[0].perSecond]) / speed;
        runs.push({ speed, ofCeiling: speed / ceilingSpeed, share, p99: there[1].p99 });
        bench.say(
          `floor: run ${turn} of ${bench.runs}: ${whole(speed)} of ${whole(ceilingSpeed)} per second`,
        );
      }
      return figuresOf(runs);
    } finally {
      await floor.stop();
    }
  });

interface FloorRun {
  /** Of the floor, per second. */
  readonly speed: number;
  readonly ofCeiling: number;
  /** The shop's add by the floor. */
  readonly share: number;
  readonly p99: number;
}

const figuresOf = (runs: readonly FloorRun[]): Figure[] => {
  const all = (figure: keyof FloorRun): readonly number[] => runs.map((run) => run[figure]);
  return [
    {
      work: `floor of an add: bare Express, one append at FULL, one document, no domain, ${rows.add.shoppers} shoppers`,
      measured: `${spread(all('ofCeiling'), percent)} of the ceiling: ${spread(all('speed'), whole)} /s, p99 ${milliseconds(median(all('p99')))}`,
      reach: 'shown beside ours',
      isReached: null,
    },
    {
      work: 'POST /basket/add by that floor, in turn with it',
      measured: spread(all('share'), percent),
      reach: `at least ${percent(SHARE)}`,
      isReached: median(all('share')) >= SHARE,
    },
  ];
};

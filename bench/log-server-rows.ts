import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDoubleCluster } from '#test/support/eventstoredb/double-cluster.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import { median, milliseconds, seconds, spread, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult, WatchResult } from './load.ts';
import { startShop, type Shop } from './processes.ts';
import { startLoad, type Load } from './workers.ts';

/*
 * A shop whose log is a server that is far away, or fails: doubles of EventStoreDB in this process, everything else
 * embedded.
 */

const startShopOn = (bench: Bench, name: string, eventStore: string): Promise<Shop> => {
  const dataDir = join(bench.folder, name);
  mkdirSync(dataDir);
  const env = { LOG_LEVEL: 'warn', EVENT_STORE: eventStore };
  const outputFile = join(dataDir, 'shop.log');
  return startShop({ core: null, dataDir, storeFile: bench.storeFile, outputFile, env });
};

/** With a shop on the log at this address, and those who shop there. */
const withShopOn = async <Result>(
  bench: Bench,
  name: string,
  eventStore: string,
  work: (port: number, load: Load) => Promise<Result>,
): Promise<Result> => {
  const shop = await startShopOn(bench, name, eventStore);
  const load = await startLoad(null, bench.productIds);
  try {
    return await work(shop.port, load);
  } finally {
    await load.stop();
    await shop.stop();
  }
};

const DELAY_MILLISECONDS = 2;
const PURCHASE_P50_MILLISECONDS = 60;

/** One shopper at a time buys three products while every call of the log takes 2 ms longer, and in turn without. */
export const measureSlowLog = async (bench: Bench): Promise<Figure[]> => {
  const double = await new EventStoreDouble().start();
  try {
    const slices: LoadResult[] = [];
    const undelayed: LoadResult[] = [];
    await withShopOn(bench, 'slow-log', double.address, async (port, load) => {
      const buy = (warmUpMs: number, measureMs: number): Promise<LoadResult> =>
        load.run({ kind: 'load', work: 'purchase', port, shoppers: 1, warmUpMs, measureMs });
      // Until everything is compiled.
      await buy(bench.isQuick ? 500 : 5000, 100);
      for (let turn = 1; turn <= bench.runs; turn++) {
        for (const [delay, results] of [
          [0, undelayed],
          [DELAY_MILLISECONDS, slices],
        ] as const) {
          double.faults.delayMilliseconds = delay;
          results.push(await buy(200, bench.isQuick ? 1000 : 4000));
        }
      }
    });
    const p50 = slices.map((slice) => slice.p50);
    const p99 = median(slices.map((slice) => slice.p99));
    const otherwise = spread(
      undelayed.map((slice) => slice.p50),
      milliseconds,
    );
    return [
      {
        work: `whole purchase, one shopper, every call of the log ${DELAY_MILLISECONDS} ms late: p50`,
        measured: `${spread(p50, milliseconds)}, p99 ${milliseconds(p99)}; without the delay ${otherwise}`,
        reach: `under ${PURCHASE_P50_MILLISECONDS} ms`,
        isReached: median(p50) < PURCHASE_P50_MILLISECONDS,
      },
    ];
  } finally {
    double.close();
  }
};

const SHOPPERS = 16;
const SOLD_AGAIN_MILLISECONDS = 3000;
const SLOWEST_ANSWER_MILLISECONDS = 7000;

/** In seconds of the watch. A real cluster of three takes 8 s to elect another leader. */
const planOf = ({ isQuick }: Bench) =>
  isQuick ? { hangs: 2, elects: 5, isBack: 8, ends: 10 } : { hangs: 5, elects: 13, isBack: 20, ends: 25 };
type Plan = ReturnType<typeof planOf>;

/** One line a second: sales, refusals, the slowest answer, and what has befallen the cluster. */
const linesOf = ({ answers, sales }: WatchResult, plan: Plan): readonly string[] => {
  const befell: Readonly<Record<number, string>> = {
    [plan.hangs]: 'the leader hangs',
    [plan.elects]: 'another is elected',
    [plan.isBack]: 'the old one is back',
  };
  const length = Math.max(plan.ends, ...answers.map(({ at }) => Math.floor(at / 1000) + 1));
  return Array.from({ length }, (_, second) => {
    const isNow = ({ at }: { readonly at: number }): boolean => Math.floor(at / 1000) === second;
    const now = answers.filter(isNow);
    const sold = sales.filter((at) => isNow({ at })).length;
    const refused = now.filter(({ status }) => status !== 200).length;
    const slowest = now.length === 0 ? 'no answer' : milliseconds(Math.max(...now.map(({ took }) => took)));
    const columns = [`${second} s`, `${sold} sold`, `${refused} refused`, slowest];
    return [...columns.map((text) => text.padStart(10)), befell[second] ?? ''].join('  ').trimEnd();
  });
};

/** Shoppers buy while the leader of three nodes hangs, another is elected and the old one comes back. */
export const measureHangingLeader = async (bench: Bench): Promise<Figure[]> => {
  const plan = planOf(bench);
  const cluster = await new EventStoreDoubleCluster(3).start();
  try {
    return await withShopOn(bench, 'hanging-leader', cluster.address, async (port, load) => {
      const times = { warmUpMs: bench.isQuick ? 500 : 5000, measureMs: 100 };
      await load.run<LoadResult>({ kind: 'load', work: 'purchase', port, shoppers: SHOPPERS, ...times });
      const begun = performance.now();
      const until = (second: number): Promise<void> => pause(begun + second * 1000 - performance.now());
      const watching = load.run<WatchResult>({
        kind: 'watch',
        port,
        shoppers: SHOPPERS,
        measureMs: plan.ends * 1000,
      });
      await until(plan.hangs);
      const old = cluster.hang();
      await until(plan.elects);
      cluster.elect();
      const electedAt = performance.now() - begun;
      await until(plan.isBack);
      cluster.comeBack(old);
      const watched = await watching;
      for (const line of linesOf(watched, plan)) console.log(line);
      const soldAfter = Math.min(...watched.sales.filter((at) => at >= electedAt)) - electedAt;
      const slowest = Math.max(...watched.answers.map(({ took }) => took));
      return [
        {
          work: 'the leader of three nodes hangs: sold again after the election',
          measured: seconds(soldAfter),
          reach: `within ${seconds(SOLD_AGAIN_MILLISECONDS)}`,
          isReached: soldAfter <= SOLD_AGAIN_MILLISECONDS,
        },
        {
          work: 'the same: slowest answer',
          measured: seconds(slowest),
          reach: `${seconds(SLOWEST_ANSWER_MILLISECONDS)}`,
          // To the tenth of a second in which it is asked for.
          isReached: slowest < SLOWEST_ANSWER_MILLISECONDS + 100,
        },
      ];
    });
  } finally {
    cluster.close();
  }
};

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffice } from './backoffice.ts';
import type { Memory } from './dispatch.ts';
import { median, milliseconds, percent, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult } from './load.ts';
import { startShop, untilSettled } from './processes.ts';
import type { Received } from './receiver.ts';
import { startDispatcher, startLoad, startReceiver, type Dispatcher, type Receiver } from './workers.ts';

const PATIENCE_MS = 120_000;
const healthyTopic = 'order.status_changed';
const deadTopic = 'inventory.reserved';

export const targets = (receiver: Receiver, count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => `http://127.0.0.1:${receiver.port}/healthy/${number}`);

/** The dispatcher alone on the server's core, receivers on the other; both end with the work. */
export const dispatching = async <Result>(
  bench: Bench,
  work: (dispatcher: Dispatcher, receiver: Receiver) => Promise<Result>,
  env: Readonly<Record<string, string>> = {},
): Promise<Result> => {
  const dataDir = join(bench.folder, `dispatcher-${Date.now()}`);
  mkdirSync(dataDir);
  const receiver = await startReceiver(bench.pinning?.load ?? null);
  const dispatcher = await startDispatcher(bench.pinning?.server ?? null, dataDir, [], env);
  try {
    return await work(dispatcher, receiver);
  } finally {
    await dispatcher.stop();
    await receiver.stop();
  }
};

/** To one subscription fewer: what begins in order begins one by one. */
const perSecondTo = (subscriptions: number): number => (subscriptions === 1 ? 1300 : 1500);

/** Events that happen all at once, so that the log and the rows are never what is waited for. */
const ratesOf = (bench: Bench, subscriptions: number): Promise<readonly number[]> =>
  dispatching(bench, async (dispatcher, receiver) => {
    const events = Math.ceil((bench.isQuick ? 2000 : 10_000) / subscriptions);
    const deliver = async (count: number): Promise<Received> => {
      await receiver.run({ kind: 'reset', samples: false });
      await dispatcher.run({ kind: 'happen', topic: healthyTopic, count, everyMs: 0 });
      return receiver.run({ kind: 'count', atLeast: count * subscriptions, patienceMs: PATIENCE_MS });
    };
    await dispatcher.run({
      kind: 'subscribe',
      topic: healthyTopic,
      targets: targets(receiver, subscriptions),
    });
    // The first ones find nothing compiled and no connection open.
    await deliver(Math.ceil(events / 2));
    const rates: number[] = [];
    for (let turn = 0; turn < bench.runs; turn++) rates.push((await deliver(events)).perSecond);
    bench.say(`deliveries: ${subscriptions} subscriptions, ${spread(rates, whole)} per second`);
    return rates;
  });

export const measureDeliveries = async (bench: Bench): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const subscriptions of [1, 5, 20]) {
    const rates = await ratesOf(bench, subscriptions);
    figures.push({
      work: `deliveries per second, one process, ${subscriptions === 1 ? 'one subscription' : `${subscriptions} subscriptions`}, receivers that answer at once`,
      measured: `${spread(rates, whole)} /s`,
      reach: `at least ${whole(perSecondTo(subscriptions))} /s on a quiet core`,
      isReached: median(rates) >= perSecondTo(subscriptions),
    });
  }
  return figures;
};

const SUBSCRIPTIONS = 1000;
const RECORDED_WITHIN_MS = 1000;

/** One event that very many are told of: until each has its row. */
export const measureFanOut = async (bench: Bench): Promise<Figure[]> => {
  const took = await dispatching(bench, async (dispatcher, receiver) => {
    await dispatcher.run({
      kind: 'subscribe',
      topic: healthyTopic,
      targets: targets(receiver, SUBSCRIPTIONS),
    });
    const each: number[] = [];
    for (let turn = 0; turn <= bench.runs; turn++) {
      await receiver.run({ kind: 'reset', samples: false });
      const job = { kind: 'record', topic: healthyTopic, deliveries: SUBSCRIPTIONS } as const;
      each.push((await dispatcher.run<{ milliseconds: number }>(job)).milliseconds);
      await receiver.run({ kind: 'count', atLeast: SUBSCRIPTIONS, patienceMs: PATIENCE_MS });
    }
    // The first one finds nothing compiled and no connection open.
    return each.slice(1);
  });
  return [
    {
      work: `${whole(SUBSCRIPTIONS)} subscriptions on one topic: from one event to its recorded deliveries`,
      measured: spread(took, milliseconds),
      reach: `under ${whole(RECORDED_WITHIN_MS)} ms`,
      isReached: Math.max(...took) < RECORDED_WITHIN_MS,
    },
  ];
};

const DEAD_QUEUED = 10_000;
const HEALTHY = 50;
/** Receivers that never answer, of the row about memory. */
const DEAD = 20;
/** Events for the healthy ones. */
const PACED = 60;
const PACED_EVERY_MS = 50;
const CHANGE = 0.2;

/** p95 from the event to the first byte at each healthy receiver, beside a dead one with so many queued. */
const healthyP95 = (bench: Bench, deadQueued: number): Promise<number> =>
  dispatching(bench, async (dispatcher, receiver) => {
    if (deadQueued > 0) {
      const dead = [`http://127.0.0.1:${receiver.port}/dead`];
      await dispatcher.run({ kind: 'subscribe', topic: deadTopic, targets: dead });
      await dispatcher.run({ kind: 'happen', topic: deadTopic, count: deadQueued, everyMs: 0 });
      await dispatcher.run({ kind: 'queued', deliveries: deadQueued });
    }
    await dispatcher.run({ kind: 'subscribe', topic: healthyTopic, targets: targets(receiver, HEALTHY) });
    const happen = async (count: number): Promise<Received> => {
      await receiver.run({ kind: 'reset', samples: true });
      await dispatcher.run({ kind: 'happen', topic: healthyTopic, count, everyMs: PACED_EVERY_MS });
      return receiver.run({ kind: 'count', atLeast: count * HEALTHY, patienceMs: PATIENCE_MS });
    };
    await happen(20);
    return (await happen(bench.isQuick ? 20 : PACED)).p95;
  });

/** With and without in turn, so that both see the same machine. */
export const measureDeadReceiver = async (bench: Bench): Promise<Figure[]> => {
  const changes: number[] = [];
  const beside: number[] = [];
  for (let turn = 1; turn <= bench.runs; turn++) {
    const without = await healthyP95(bench, 0);
    const withDead = await healthyP95(bench, bench.isQuick ? DEAD_QUEUED / 10 : DEAD_QUEUED);
    beside.push(withDead);
    changes.push(withDead / without - 1);
    bench.say(
      `dead receiver: run ${turn} of ${bench.runs}: p95 ${milliseconds(withDead)}, without it ${milliseconds(without)}`,
    );
  }
  return [
    {
      work: `one dead receiver with ${whole(DEAD_QUEUED)} queued beside ${HEALTHY} healthy ones: their p95`,
      measured: `${spread(beside, milliseconds)}, ${spread(changes, percent)} more than without it`,
      reach: 'within 20 %',
      isReached: median(changes) <= CHANGE,
    },
  ];
};

const QUEUED = 100_000;
const GROWTH = 0.1;

/** All for receivers that never answer: what has been queued stays so. */
export const measureQueuedMemory = async (bench: Bench): Promise<Figure[]> => {
  const [few, many] = await dispatching(bench, async (dispatcher, receiver) => {
    const dead = Array.from(
      { length: DEAD },
      (_, number) => `http://127.0.0.1:${receiver.port}/dead/${number}`,
    );
    await dispatcher.run({ kind: 'subscribe', topic: deadTopic, targets: dead });
    const queue = async (from: number, deliveries: number): Promise<Memory> => {
      const count = (deliveries - from) / DEAD;
      await dispatcher.run({ kind: 'happen', topic: deadTopic, count, everyMs: 0 });
      return dispatcher.run<Memory>({ kind: 'queued', deliveries });
    };
    return [await queue(0, QUEUED / 10), await queue(QUEUED / 10, QUEUED)];
  });
  const shown = ({ heapMegabytes, residentMegabytes }: Memory): string =>
    `${whole(heapMegabytes)} MB of heap, ${whole(residentMegabytes)} MB resident`;
  return [
    {
      work: `memory with ${whole(QUEUED)} queued deliveries`,
      measured: `${shown(many)}; with ${whole(QUEUED / 10)}: ${shown(few)}`,
      reach: 'the same heap, within 10 %',
      isReached: many.heapMegabytes <= few.heapMegabytes * (1 + GROWTH),
    },
  ];
};

const FIRST_BYTE_MS = 100;
const SLOWED = 0.15;
const SHOPPERS = 64;
const SETTLE_MS = 1000;

/** What webhooks cost the running shop: how soon they arrive when it is idle, and how much slower it sells. */
export const measureShopWithWebhooks = async (bench: Bench): Promise<Figure[]> => {
  const { folder, storeFile, pinning, productIds, isQuick } = bench;
  const dataDir = join(folder, `webhooks-${Date.now()}`);
  mkdirSync(dataDir);
  const outputFile = join(dataDir, 'shop.log');
  const receiver = await startReceiver(pinning?.load ?? null);
  const shop = await startShop({ core: pinning?.server ?? null, dataDir, storeFile, outputFile });
  const load = await startLoad(pinning?.load ?? null, productIds);
  const staff = backoffice(shop.port);
  const add = (shoppers: number, measureMs: number, pauseMs = 0): Promise<LoadResult> =>
    load.run({ kind: 'load', work: 'add', port: shop.port, shoppers, warmUpMs: 200, measureMs, pauseMs });
  try {
    const subscription = await staff.subscribe('basket.updated', targets(receiver, 1)[0] ?? '');
    await add(SHOPPERS, isQuick ? 1000 : 4000);
    // What the load has left to send is not what an idle shop sends.
    await untilSettled(shop.port);
    await receiver.run({ kind: 'reset', samples: true });
    await add(1, isQuick ? 3000 : 15_000, PACED_EVERY_MS);
    await pause(SETTLE_MS);
    const idle = await receiver.run<Received>({ kind: 'count', atLeast: 1, patienceMs: PATIENCE_MS });

    const slower: number[] = [];
    const delivered: number[] = [];
    const ms = isQuick ? 1500 : 5000;
    for (let turn = 1; turn <= bench.runs; turn++) {
      await staff.activate(subscription, false);
      await pause(SETTLE_MS);
      const without = await add(SHOPPERS, ms);
      await staff.activate(subscription, true);
      await receiver.run({ kind: 'reset', samples: false });
      const during = add(SHOPPERS, ms);
      const withOne = await during;
      const { count } = await receiver.run<Received>({ kind: 'count', atLeast: 0, patienceMs: 0 });
      slower.push(1 - withOne.perSecond / without.perSecond);
      delivered.push(count / ((ms + 200) / 1000));
      bench.say(
        `webhooks: run ${turn} of ${bench.runs}: ${whole(withOne.perSecond)} adds per second instead of ${whole(without.perSecond)}, ${whole(count)} delivered meanwhile`,
      );
    }
    return [
      {
        work: 'event to first byte at a healthy receiver, idle shop: p95',
        measured: `${milliseconds(idle.p95)} of ${whole(idle.count)} deliveries, ${milliseconds(idle.worst)} at worst`,
        reach: `under ${FIRST_BYTE_MS} ms`,
        isReached: idle.p95 < FIRST_BYTE_MS,
      },
      {
        work: 'POST /basket/add, 64 shoppers, one subscription told of each',
        measured: `${spread(slower, percent)} slower, ${spread(delivered, whole)} delivered per second meanwhile`,
        reach: 'at most 15 % slower',
        isReached: median(slower) <= SLOWED,
      },
    ];
  } finally {
    await load.stop();
    await shop.stop();
    await receiver.stop();
  }
};

import { mkdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { median, milliseconds, percent, seconds, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult } from './load.ts';
import { filesIn } from './machine.ts';
import { startShop, untilSettled } from './processes.ts';
import type { Received } from './receiver.ts';
import { dispatching, targets } from './webhook-rows.ts';
import { startLoad } from './workers.ts';

const SHOPPERS = 16;
const BUYING_MS = 30_000;
const MAILS = 3000;
const PER_SECOND = 200;

/** Mails that are written already, as those about accounts are. */
const measureFiles = async (bench: Bench): Promise<Figure> => {
  const count = bench.isQuick ? MAILS / 10 : MAILS;
  const rates: number[] = [];
  for (let turn = 0; turn < bench.runs; turn++) {
    const job = { kind: 'mails', count, untilSent: true } as const;
    const { milliseconds: took } = await dispatching(bench, (dispatcher) =>
      dispatcher.run<{ readonly milliseconds: number }>(job),
    );
    rates.push(count / (took / 1000));
  }
  return {
    work: `mails into files, ${whole(count)} queued`,
    measured: `${spread(rates, whole)} /s`,
    reach: `at least ${PER_SECOND} /s`,
    isReached: median(rates) >= PER_SECOND,
  };
};

/** How many order confirmations are left over by shoppers who keep the shop busy, and how soon they are there. */
const measureLeft = async (bench: Bench): Promise<Figure> => {
  const { folder, storeFile, pinning, productIds, isQuick } = bench;
  const dataDir = join(folder, 'mails');
  mkdirSync(dataDir);
  const outputFile = join(dataDir, 'shop.log');
  const shop = await startShop({ core: pinning?.server ?? null, dataDir, storeFile, outputFile });
  const load = await startLoad(pinning?.load ?? null, productIds);
  const written = (): number => filesIn(join(dataDir, 'mails'), '.json').length;
  try {
    const measureMs = isQuick ? 3000 : BUYING_MS;
    const job = { kind: 'load', work: 'purchase', port: shop.port, shoppers: SHOPPERS } as const;
    const { perSecond } = await load.run<LoadResult>({ ...job, warmUpMs: 1000, measureMs });
    const [before, begun] = [written(), performance.now()];
    await untilSettled(shop.port);
    const [all, took] = [written(), performance.now() - begun];
    return {
      work: `order confirmations left when ${SHOPPERS} shoppers have bought for ${seconds(measureMs)}, ${whole(perSecond)} purchases a second`,
      measured: `${whole(all - before)} of ${whole(all)}; the last is written after ${seconds(took)}`,
      reach: 'printed',
      isReached: null,
    };
  } finally {
    await load.stop();
    await shop.stop();
  }
};

const HEALTHY = 20;
const QUEUED_MAILS = 2000;
const PACED = 60;
const PACED_EVERY_MS = 50;
const PATIENCE_MS = 120_000;
const CHANGE = 0.2;
const topic = 'order.status_changed';

/** Takes every connection and never says a word. */
const startHangingServer = async (): Promise<{ readonly url: string; stop(): void }> => {
  const server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, stop: () => void server.close() };
};

/** p95 from the event to the first byte of its webhook. */
const p95Beside = (bench: Bench, mails: number, url: string): Promise<number> =>
  dispatching(
    bench,
    async (dispatcher, receiver) => {
      await dispatcher.run({ kind: 'subscribe', topic, targets: targets(receiver, HEALTHY) });
      if (mails > 0) await dispatcher.run({ kind: 'mails', count: mails, untilSent: false });
      const happen = async (count: number): Promise<Received> => {
        await receiver.run({ kind: 'reset', samples: true });
        await dispatcher.run({ kind: 'happen', topic, count, everyMs: PACED_EVERY_MS });
        return receiver.run({ kind: 'count', atLeast: count * HEALTHY, patienceMs: PATIENCE_MS });
      };
      await happen(20);
      return (await happen(bench.isQuick ? 20 : PACED)).p95;
    },
    { Mail__Smtp__Url: url, Mail__Smtp__From: 'shop@bench.example' },
  );

/** With and without mails in turn, so that both see the same machine. */
const measureHangingServer = async (bench: Bench): Promise<Figure> => {
  const server = await startHangingServer();
  const changes: number[] = [];
  const beside: number[] = [];
  try {
    for (let turn = 1; turn <= bench.runs; turn++) {
      const without = await p95Beside(bench, 0, server.url);
      const withMails = await p95Beside(bench, QUEUED_MAILS, server.url);
      beside.push(withMails);
      changes.push(withMails / without - 1);
      bench.say(
        `mails: run ${turn} of ${bench.runs}: p95 ${milliseconds(withMails)}, without ${milliseconds(without)}`,
      );
    }
  } finally {
    server.stop();
  }
  return {
    work: `a mail server that hangs with ${whole(QUEUED_MAILS)} mails queued: p95 of webhooks to ${HEALTHY} receivers`,
    measured: `${spread(beside, milliseconds)}, ${spread(changes, percent)} more than without mails`,
    reach: 'within 20 %',
    isReached: median(changes) <= CHANGE,
  };
};

export const measureMails = async (bench: Bench): Promise<Figure[]> => [
  await measureFiles(bench),
  await measureLeft(bench),
  await measureHangingServer(bench),
];

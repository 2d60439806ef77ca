import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seconds, whole, type Figure } from './figures.ts';
import { HttpConnection } from './http-connection.ts';
import type { Bench } from './http-rows.ts';
import { startShop, untilSettled, type Shop } from './processes.ts';
import { orderingShopper, seeded } from './shopper.ts';
import { callbacksUnlimited, sendCallback } from './send-callback.ts';

const CONNECTIONS = 32;
const COPIES = 5;
const PER_SECOND = 200;

interface Order {
  readonly invoiceId: string;
  readonly sessionId: string | null;
  readonly total: number;
}

/** Does work with every item, so many at once; returns how long it took. */
const withEach = async <Item>(
  port: number,
  items: readonly Item[],
  atOnce: number,
  work: (connection: HttpConnection, item: Item, index: number) => Promise<void>,
): Promise<number> => {
  let at = 0;
  const begun = performance.now();
  const worker = async (): Promise<void> => {
    const connection = new HttpConnection(port);
    for (let index = at++; index < items.length; index = at++)
      await work(connection, items[index] as Item, index);
    connection.close();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return performance.now() - begun;
};

const eventOf = (type: string, { invoiceId, sessionId, total: amount }: Order) => ({
  id: randomUUID(),
  type,
  data: { transactionId: sessionId, invoiceId, amount, currency: 'GBP', refundId: `re-${invoiceId}` },
});

const ordersOf = async (bench: Bench, port: number, count: number, name: string): Promise<Order[]> => {
  const orders: Order[] = [];
  const numbers = Array.from({ length: count }, (_, index) => index);
  await withEach(port, numbers, 16, async (connection, number) => {
    const random = seeded(number + 1);
    const shopper = orderingShopper(
      { connection, productIds: bench.productIds, random },
      `${name}-${number}`,
      'redirect',
    );
    orders.push(await shopper.order());
  });
  return orders;
};

const liveHeap = async ({ pid, port }: Shop, file: string): Promise<number> => {
  await untilSettled(port);
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await pause(50);
  return Number(readFileSync(file, 'utf8'));
};

/** One effect each: the first copy is processed, the others are told that it was. */
const tellCopies = async (port: number, orders: readonly Order[]): Promise<number> => {
  let effects = 0;
  const connections = Array.from({ length: COPIES }, () => new HttpConnection(port));
  for (const order of orders) {
    const event = eventOf('PaymentCompleted', order);
    const messages = await Promise.all(connections.map((connection) => sendCallback(connection, event)));
    if (messages.filter((message) => message === 'Webhook processed').length === 1) effects++;
  }
  for (const connection of connections) connection.close();
  return effects;
};

/** Buys so many times, each told by a callback and refunded by another. */
const buyAndRefund = async (bench: Bench, port: number, count: number, name: string): Promise<void> => {
  const orders = await ordersOf(bench, port, count, name);
  await withEach(port, orders, CONNECTIONS, async (connection, order) => {
    await sendCallback(connection, eventOf('PaymentCompleted', order));
    await sendCallback(connection, eventOf('RefundCompleted', order));
  });
};

/**
 * What providers tell: how many a second, five copies at once, and what so many purchases with a refund leave in memory
 * against a tenth of them.
 */
export const measureCallbacks = async (bench: Bench, many: number): Promise<Figure[]> => {
  const [rated, copied] = bench.isQuick ? [300, 50] : [2000, 1000];
  const few = Math.ceil(many / 10);
  const dataDir = join(bench.folder, 'callbacks');
  mkdirSync(dataDir);
  const heapFile = join(dataDir, 'heap.txt');
  const shop = await startShop({
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(dataDir, 'shop.log'),
    nodeOptions: ['--expose-gc', '--import', fileURLToPath(new URL('./live-heap.ts', import.meta.url))],
    env: { ...callbacksUnlimited, HEAP_FILE: heapFile },
  });
  try {
    const { port } = shop;
    const orders = await ordersOf(bench, port, rated, 'rated');
    const took = await withEach(port, orders, CONNECTIONS, async (connection, order) => {
      await sendCallback(connection, eventOf('PaymentCompleted', order));
    });
    const perSecond = (rated / took) * 1000;
    bench.say(`callbacks: ${whole(rated)} in ${seconds(took)}`);
    const effects = await tellCopies(port, await ordersOf(bench, port, copied, 'copied'));
    bench.say(`callbacks: ${whole(effects)} of ${whole(copied)} events had one effect`);
    await buyAndRefund(bench, port, few, 'few');
    const before = await liveHeap(shop, heapFile);
    await buyAndRefund(bench, port, many - few, 'many');
    const after = await liveHeap(shop, heapFile);
    return [
      {
        work: `callbacks for different invoices, ${CONNECTIONS} at once, each a sale`,
        measured: `${whole(perSecond)} per second`,
        reach: `at least ${PER_SECOND} per second`,
        isReached: perSecond >= PER_SECOND,
      },
      {
        work: `${COPIES} copies of an event at once, ${whole(copied)} events`,
        measured: `${whole(effects)} had one effect`,
        reach: 'all of them',
        isReached: effects === copied,
      },
      {
        work: `live heap after ${whole(many)} purchases with a refund each, against ${whole(few)}`,
        measured: `${after.toFixed(1)} MB, ${before.toFixed(1)} MB`,
        reach: 'within 10 %',
        isReached: after <= before * 1.1,
      },
    ];
  } finally {
    await shop.stop();
  }
};

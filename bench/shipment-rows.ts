import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { backofficeKey } from './backoffice.ts';
import { milliseconds, seconds, whole, type Figure } from './figures.ts';
import { HttpConnection } from './http-connection.ts';
import type { Bench } from './http-rows.ts';
import { startShop, untilSettled } from './processes.ts';
import { orderingShopper, seeded } from './shopper.ts';

const AT_ONCE = 16;
const PER_SECOND = 150;

interface Packable {
  readonly orderId: string;
  readonly lineItems: Readonly<Record<string, number>>;
}

/** Does work with every item, so many at once; returns how long it took. */
const withEach = async <Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<number> => {
  let at = 0;
  const begun = performance.now();
  const worker = async (): Promise<void> => {
    for (let index = at++; index < items.length; index = at++) await work(items[index] as Item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return performance.now() - begun;
};

/** Shipments, one an order, so many at once: the answer comes when the stock has followed. */
export const measureShipments = async (bench: Bench, count: number): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'shipments');
  mkdirSync(dataDir);
  const shop = await startShop({
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(dataDir, 'shop.log'),
  });
  try {
    const management = `http://127.0.0.1:${shop.port}/backoffice/api/v1`;
    const headers = { authorization: `Bearer ${backofficeKey}`, 'content-type': 'application/json' };
    const ask = async (path: string, body?: object) => {
      const how = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const response = await fetch(management + path, { headers, ...how });
      if (!response.ok) throw new Error(`${path} answered ${await response.text()}`);
      return (await response.json()) as unknown;
    };
    const numbers = Array.from({ length: count }, (_, index) => index);
    const invoiceIds: string[] = [];
    await withEach(numbers, async (number) => {
      const connection = new HttpConnection(shop.port);
      const options = { connection, productIds: bench.productIds, random: seeded(number + 1) };
      const shopper = orderingShopper(options, `shipped-${number}`);
      const { jar, invoiceId } = await shopper.order();
      await shopper.payByCard(jar, invoiceId);
      connection.close();
      invoiceIds.push(invoiceId);
    });
    await untilSettled(shop.port);
    const packable: Packable[] = [];
    await withEach(invoiceIds, async (invoiceId) => {
      const { orders } = (await ask(`/orders/${invoiceId}`)) as {
        readonly orders: readonly {
          readonly id: string;
          readonly lineItems: readonly { readonly id: string; readonly quantity: number }[];
        }[];
      };
      const [order] = orders;
      if (!order) throw new Error(`invoice ${invoiceId} has no order`);
      const lineItems = Object.fromEntries(order.lineItems.map(({ id, quantity }) => [id, quantity]));
      packable.push({ orderId: order.id, lineItems });
    });
    bench.say(`shipments: ${whole(count)} orders are paid`);
    const times: number[] = [];
    const took = await withEach(packable, async ({ orderId, lineItems }) => {
      const begun = performance.now();
      await ask(`/orders/${orderId}/shipments`, { lineItems });
      times.push(performance.now() - begun);
    });
    times.sort((one, other) => one - other);
    const p99 = times[Math.ceil(0.99 * times.length) - 1] ?? NaN;
    const perSecond = (count / took) * 1000;
    bench.say(`shipments: ${whole(count)} in ${seconds(took)}, p99 ${milliseconds(p99)}`);
    return [
      {
        work: `shipments, one an order, ${AT_ONCE} at once`,
        measured: `${whole(perSecond)} per second, p99 ${milliseconds(p99)}`,
        reach: `at least ${PER_SECOND} per second`,
        isReached: perSecond >= PER_SECOND,
      },
    ];
  } finally {
    await shop.stop();
  }
};

import { manage } from '#test/support/requests.ts';
import type { ShopAt } from '#test/support/shop.ts';
import {
  deliveryIdOf,
  isSigned,
  respondWith,
  startReceiver,
  type Received,
} from '#test/support/subscriber.ts';

/** What a receiver that was down for a day has missed, and has in the end. */
export interface DownForADay {
  readonly sales: number;
  /** Attempts that it refused. */
  readonly refused: number;
  readonly givenUp: number;
  readonly replayed: number;
  /** Every sale has arrived once, signed, under the id and with the bytes of before. */
  readonly isWhole: boolean;
}

/** As the schedule has them by default; the rest of the day passes afterwards. */
const delaysSeconds = [60, 300, 900, 3600];
const daySeconds = 86_400;

const bodiesById = (received: readonly Received[]): ReadonlyMap<string, string> =>
  new Map(received.map((one) => [deliveryIdOf(one), one.body.toString()]));

/** Sales that a receiver is told of while it refuses everything, and once more by a replay when it is back. */
export const beDownForADay = async (shop: ShopAt, sales = 3): Promise<DownForADay> => {
  const receiver = await startReceiver(respondWith(503));
  const asked = async (request: Parameters<typeof shop.admin.ask>[0], wanted: number) => {
    const { status, body, text } = await shop.admin.ask(request);
    if (status !== wanted) throw new Error(`${request.path}: ${status} ${text}`);
    await shop.settle();
    return body;
  };
  const pass = async (advanceSeconds: number): Promise<string> => {
    const { body } = await shop.tester.post('/testing/clock', { advanceSeconds });
    await shop.tester.post('/testing/jobs/deliver-webhooks');
    await shop.settle();
    return body.now as string;
  };
  try {
    const subscription = { name: 'Accounting', topic: 'invoice.paid', targetUrl: receiver.url };
    const { id, secret } = await asked(manage.post('/webhooks', subscription), 201);
    const from = await pass(0);
    const tea = await shop.sell('TEA', { price: 4 });
    for (let sale = 0; sale < sales; sale++) {
      const shopper = shop.shopper();
      await shopper.prepare(tea, 1, `drinker-${sale}@example.com`);
      await shopper.payWith((await shopper.pay()).body.invoiceId as string);
    }
    await shop.settle();
    for (const seconds of delaysSeconds) await pass(seconds);
    await pass(daySeconds);
    const missed = [...receiver.received];
    const log = await asked(manage.get(`/webhooks/${id}/deliveries?status=Abandoned`), 200);
    receiver.answer(respondWith(200));
    const replay = await asked(manage.post(`/webhooks/${id}/replay`, { from, include: 'failed' }), 202);
    await receiver.count(missed.length + sales);
    const { queued } = await asked(manage.get(`/webhooks/${id}/replays/${replay.id}`), 200);
    const arrived = receiver.received.slice(missed.length);
    const [before, after] = [bodiesById(missed), bodiesById(arrived)];
    return {
      ...{ sales, refused: missed.length, givenUp: log.totalItems as number, replayed: queued as number },
      isWhole:
        arrived.length === sales &&
        after.size === sales &&
        arrived.every((one) => isSigned(one, secret as string)) &&
        [...after].every(([delivery, body]) => before.get(delivery) === body),
    };
  } finally {
    await receiver.stop();
  }
};

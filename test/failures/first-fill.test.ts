import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { EventStore } from '#ports/event-store.ts';
import { DistributedShop, sharedLog, sharedStores, type Replica } from '#test/support/distributed-shop.ts';
import { appendPlain } from '#test/support/plain-log.ts';

const management = '/backoffice/api/v1';

interface Unready {
  readonly name: string;
  readonly reason: string;
}

const foreign = (count: number) => Array.from({ length: count }, () => ({ type: 'Foreign', data: {} }));

describe('views that are filled for the first time', () => {
  it('answer 503 with how far they are, in each replica, and none is ready until they are filled', async () => {
    const log = sharedLog();
    const { promise: isSlow, resolve: goOn } = Promise.withResolvers<void>();
    let wait = Promise.resolve();
    const slow: EventStore = {
      ...log,
      readAll: async (after, limit) => {
        if (after >= 2000) await wait;
        return log.readAll(after, limit);
      },
    };
    const stores = sharedStores();
    const readStores = { before: stores.readStore, after: sharedStores().readStore };
    let readStore = readStores.before;
    const shop = await DistributedShop.open({
      engines: () => Promise.resolve({ ...stores, readStore, store: slow }),
    });
    try {
      await shop.sell('mug', { price: 10 });
      for (const projection of [...shop.replicas('projection')]) await shop.stop(projection);
      for (let pages = 0; pages < 4; pages++) await appendPlain(log, 'foreign-1', foreign(1000));
      const head = await log.head();

      // The read store was emptied, and the log is slow: its third page does not come.
      readStore = readStores.after;
      wait = isSlow;
      log.runBefore(
        'readAll',
        (after) => after >= 2000,
        () => isSlow,
      );
      const filling = await shop.start('projection');
      const waiting = await shop.start('projection');

      const percent = Math.floor((100 * 2000) / head);
      const reasonsOf = async ({ at }: Replica): Promise<readonly Unready[]> => {
        const { status, body } = await at.admin.get('/health/ready');
        return status === 200 ? [] : (body.reasons as readonly Unready[]);
      };
      for (const replica of [filling, waiting]) {
        const isSaid = async (): Promise<boolean> =>
          (await reasonsOf(replica)).some(
            ({ name, reason }) =>
              name === 'projections' &&
              reason.includes(`products is being filled for the first time: ${percent} % of the log read`),
          );
        while (!(await isSaid())) await pause(20);
        const { status, headers, body } = await replica.at.admin.get(`${management}/products`);
        expect(status).to.equal(503);
        expect(body).to.include({ view: 'products', percent, phase: 'filling', share: 2000 / head });
        expect(headers.get('retry-after')).to.equal(String(Math.min(60, Math.max(1, body.secondsLeft))));
        expect(body.message).to.include(`${percent} % done`);
      }

      goOn();
      for (const replica of [filling, waiting]) {
        while ((await reasonsOf(replica)).length > 0) await pause(20);
        const { status, body } = await replica.at.admin.get(`${management}/products`);
        expect([status, body.items.length]).to.deep.equal([200, 1]);
      }
    } finally {
      goOn();
      await shop.close();
    }
  });
});

import { expect } from 'chai';
import { Browser } from '#test/support/browser.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { sendThrough } from '#test/support/fulfilling-shop.ts';
import {
  fulfilmentCallback,
  startFulfilmentServer,
  type FulfilmentServer,
} from '#test/support/fulfilment-server.ts';
import { manage } from '#test/support/requests.ts';

const ORDERS = 4;

/** docs/rules/fulfilment.md#once */
describe('two command processes whose orders somebody else sends', () => {
  const memory = sharedMemory();
  let shop: DistributedShop;
  let server: FulfilmentServer;
  let invoiceIds: readonly string[];
  before(async () => {
    server = await startFulfilmentServer();
    shop = await DistributedShop.open({ engines: memory.open, replicas: { command: 2 } });
    await sendThrough(shop, server);
    const mug = await shop.sell('mug', { price: 10, stock: 50 });
    const buy = async (): Promise<string> => {
      const shopper = shop.shopper();
      await shopper.prepare(mug, 2);
      const { invoiceId } = (await shopper.pay()).body;
      await shopper.payWith(invoiceId);
      return invoiceId as string;
    };
    invoiceIds = await Promise.all(Array.from({ length: ORDERS }, buy));
    await shop.settle();
  });
  after(async () => {
    await shop.close();
    await server.close();
  });

  const doors = () => shop.replicas('command').map(({ at }) => at);
  const count = async (type: string): Promise<number> =>
    (await memory.log.readAll(0, 10_000)).filter((event) => event.type === type).length;

  it('submit each order once, both at work on all of them', async () => {
    await Promise.all(doors().map(({ tester }) => tester.post('/testing/jobs/fulfilment-retry')));
    await shop.settle();
    const orderIds = server.orders.map(({ body }) => body.orderId);
    expect([orderIds.length, new Set(orderIds).size]).to.deep.equal([ORDERS, ORDERS]);
    expect(await count('FulfilmentSubmissionAttempted')).to.equal(ORDERS);
    expect(await count('FulfilmentSubmitted')).to.equal(ORDERS);
  });

  it('receive one callback five times at once, and do what it says once', async () => {
    const callers = [0, 1, 0, 1, 0].map((at) => new Browser(doors()[at]?.base ?? ''));
    const tellAll = async ({ reference }: { readonly reference: string }) => {
      const request = fulfilmentCallback('generic-http', 'order.shipped', { reference }, Date.now(), {
        id: reference,
      });
      const answers = await Promise.all(callers.map((caller) => caller.ask(request)));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
      expect(answers.filter(({ body }) => body.message === 'Webhook processed')).to.have.length(1);
    };
    await Promise.all(server.orders.map(tellAll));
    await shop.settle();
    expect(await count('ShipmentCreated')).to.equal(ORDERS);
    expect(await count('StockAllocated')).to.equal(ORDERS);
    expect(await count('FulfilmentStatusNoted')).to.equal(ORDERS);
    for (const invoiceId of invoiceIds) {
      const { body } = await shop.admin.ask(manage.get(`/orders/${invoiceId}`));
      expect(body.orders[0]).to.include({ status: 'Shipped' });
    }
  });
});

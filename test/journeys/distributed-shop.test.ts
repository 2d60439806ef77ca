import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { ProjectionResponse } from '#contracts/projections.contract.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';

const management = '/backoffice/api/v1';

const topicsOf = (receiver: Receiver): readonly unknown[] =>
  receiver.requests.map(({ headers }) => headers['x-service-topic']).toSorted();

describe('The three services apart, two of each', () => {
  let shop: DistributedShop;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    shop = await DistributedShop.open({
      engines: sharedMemory().open,
      replicas: { command: 2, projection: 2, dispatcher: 2 },
    });
  });
  after(async () => {
    await shop.close();
    await receiver.close();
  });

  const buy = async (mug: string, email: string) => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2, email);
    const placed = await shopper.pay();
    expect(placed.status, JSON.stringify(placed.body)).to.equal(200);
    const paid = await shopper.payWith(placed.body.invoiceId as string);
    expect(paid.status, JSON.stringify(paid.body)).to.equal(200);
    return placed.body.invoiceId as string;
  };

  it('sell, tell the world once, and count the sale', async () => {
    for (const topic of ['order.created', 'invoice.paid', 'basket.created'])
      await shop.subscribe(topic, receiver.url);
    const mug = await shop.sell('mug', { price: 10, stock: 5 });
    await buy(mug, 'ada@example.com');
    await shop.settle();
    expect(topicsOf(receiver)).to.deep.equal(['basket.created', 'invoice.paid', 'order.created']);
    const orders = await Promise.all([1, 2].map(() => shop.admin.get(`${management}/orders`)));
    expect(orders.map(({ body }) => body.items.length)).to.deep.equal([1, 1]);
  });

  it('show what somebody has just written, whichever replica they ask', async () => {
    const tea = await shop.sell('tea', { price: 3 });
    const shopper = shop.shopper();
    for (let quantity = 1; quantity <= 6; quantity++) {
      await shopper.add(tea);
      expect((await shopper.basket()).body.itemCount).to.equal(quantity);
    }
  });

  it('answer shoppers from what staff have just changed, whichever replica they ask', async () => {
    const group = await shop.admin.post(`${management}/tax-groups`, { name: 'None', taxPercentage: 0 });
    for (let count = 1; count <= 6; count++) {
      const made = await shop.admin.post(`${management}/products`, {
        rootName: `Just made ${count}`,
        sku: `JUST-${count}`,
        price: 4,
        taxGroupId: group.body.id,
      });
      const [variant] = made.body.variants as readonly { readonly id: string }[];
      const position = { 'Tillroll-Position': made.headers.get('tillroll-position') ?? '' };
      for (const { at } of shop.replicas('projection')) {
        const path = `/api/shop/storefront/products/${variant?.id}/availability`;
        const { status, body } = await at.shopper().get(path, position);
        expect(status, JSON.stringify(body)).to.equal(200);
      }
    }
  });

  it('decide on what their caller has seen', async () => {
    const cup = await shop.sell('cup', { price: 8, stock: 9 });
    const [one, other] = shop.replicas('command');
    const { body } = await shop.admin.get(`${management}/products/${cup}`);
    expect(body).to.be.an('object');
    const made = await one?.at.admin.post(`${management}/discounts`, {
      name: 'SEEN',
      code: 'SEEN',
      value: 50,
      category: 'AmountOffOrder',
      method: 'Code',
      valueType: 'Percentage',
    });
    const position = made?.headers.get('tillroll-position') ?? '';
    expect(position).to.match(/^\d+$/);
    const shopper = shop.shopper();
    await shopper.prepare(cup);
    const applied = await other?.at.shopper().post(
      '/api/shop/checkout/discount/apply',
      { code: 'SEEN' },
      {
        'Tillroll-Position': position,
        Cookie: [...shopper.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    );
    expect(applied?.status, JSON.stringify(applied?.body)).to.equal(200);
  });

  it('move one clock', async () => {
    const nows = async () => {
      const all = [
        ...shop.replicas('command'),
        ...shop.replicas('projection'),
        ...shop.replicas('dispatcher'),
      ];
      return all.map(({ runtime }) => runtime.clock.now());
    };
    const before = await nows();
    const { status } = await shop.tester.post('/testing/clock', { advanceSeconds: 3600 });
    expect(status).to.equal(200);
    for (const [index, now] of (await nows()).entries()) {
      expect(now - (before[index] ?? 0)).to.be.within(3_600_000, 3_660_000);
    }
  });

  it('describe the whole API, each of them, and no test endpoint', async () => {
    for (const service of ['command', 'projection', 'dispatcher'] as const) {
      const [replica] = shop.replicas(service);
      const answer = await replica?.at.admin.get('/openapi.json');
      const { paths } = answer?.body as { paths: Readonly<Record<string, unknown>> };
      expect(Object.keys(paths), service).to.include.members([
        '/api/shop/storefront/basket/add',
        '/api/shop/storefront/basket',
        `${management}/orders`,
        `${management}/webhooks/{id}/test`,
        '/openapi.json',
      ]);
      expect(Object.keys(paths).filter((path) => path.startsWith('/testing'))).to.deep.equal([]);
      const endpoints = (await replica?.at.admin.get('/reference/endpoints'))?.body as { service: string }[];
      expect(new Set(endpoints.map((one) => one.service))).to.have.property('size', 3);
    }
  });

  it('fill a read model again, whichever replica is asked, and tell how far it is on each', async () => {
    const path = `${management}/projections`;
    for (const [index, asked] of shop.replicas('projection').entries()) {
      const ordered = await asked.at.admin.post(`${path}/orders/rebuild`, {});
      expect(ordered.status, JSON.stringify(ordered.body)).to.equal(202);
      for (const replica of shop.replicas('projection')) {
        for (;;) {
          const items = (await replica.at.admin.get(path)).body.items as ProjectionResponse[];
          const orders = items.find(({ name }) => name === 'orders');
          expect(orders?.rebuild?.failure).to.equal(null);
          if (orders?.rebuild?.isDone && orders.generation === index + 2) break;
          await nextTurn();
        }
      }
    }
    const refused = await shop.admin.post(`${path}/no-such-view/rebuild`, {});
    expect(refused.status).to.equal(404);
  });

  it('run jobs where they belong', async () => {
    const purged = await shop.tester.post('/testing/jobs/purge-idempotency');
    expect(purged.body).to.have.property('removed');
    const delivered = await shop.tester.post('/testing/jobs/deliver-webhooks');
    expect(delivered.body).to.have.property('recovered');
    expect((await shop.tester.post('/testing/jobs/no-such-job')).status).to.equal(404);
  });

  it('go on when the replicas that were first are gone', async () => {
    for (const service of ['command', 'projection', 'dispatcher'] as const) {
      const [first] = shop.replicas(service);
      if (first) await shop.stop(first);
    }
    const mug = await shop.sell('late-mug', { price: 10, stock: 5 });
    const told = receiver.requests.length;
    await buy(mug, 'bob@example.com');
    await shop.settle();
    expect(receiver.requests.length - told).to.equal(3);
    expect((await shop.admin.get(`${management}/orders`)).body.items).to.have.length(2);
  });
});

import { expect } from 'chai';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers } from '#test/support/shared-engines.ts';
import { deliveryIdOf, isSigned, startReceiver, type Receiver } from '#test/support/subscriber.ts';

const management = '/backoffice/api/v1';
/** Around today, wherever the store's day begins. */
const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const days = `startDate=${day(-1)}&endDate=${day(1)}`;
const topics = ['basket.created', 'order.created', 'invoice.paid'];

onServers((servers) => {
  const apart = 'the three services as processes on servers, with two of the command service';
  describe(servers === 'embedded' ? 'the three services in one process' : apart, () => {
    const at = useShopOn(() => servers, { replicas: { command: 2 } });
    let receiver: Receiver;
    before(async () => {
      receiver = await startReceiver();
    });
    after(() => receiver.stop());

    it('sell, tell the world once and signed, and count the sale', async () => {
      const secrets = new Map<string, string>();
      for (const topic of topics) secrets.set(topic, await at.shop.subscribe(topic, receiver.url));
      const mug = await at.shop.sell('mug', { price: 10, stock: 5 });
      const shopper = at.shop.shopper();
      await shopper.prepare(mug, 2, 'ada@example.com');
      const placed = await shopper.pay();
      expect(placed.status, JSON.stringify(placed.body)).to.equal(200);
      const paid = await shopper.payWith(placed.body.invoiceId as string);
      expect(paid.body).to.include({ status: 'Completed' });
      await at.shop.settle();

      const told = receiver.received.map((one) => String(one.headers['x-service-topic']));
      expect(told.toSorted()).to.deep.equal(topics.toSorted());
      expect(new Set(receiver.received.map(deliveryIdOf)).size).to.equal(topics.length);
      for (const one of receiver.received)
        expect(isSigned(one, secrets.get(String(one.headers['x-service-topic'])) ?? '')).to.equal(true);
      const orders = await at.shop.admin.get(`${management}/orders`);
      expect(orders.body.items).to.have.length(1);
      const report = await at.shop.admin.get(`${management}/reporting/summary?${days}`);
      expect(report.body, JSON.stringify(report.body)).to.include({ totalOrders: 1 });
    });

    it('move one clock, and run jobs where they belong', async () => {
      const nows = () =>
        Promise.all(
          at.shop.all.map(async ({ tester }) => {
            const { body } = await tester.post('/testing/clock', { advanceSeconds: 0 });
            return Date.parse(body.now as string);
          }),
        );
      const before = await nows();
      const moved = await at.shop.tester.post('/testing/clock', { advanceSeconds: 3600 });
      expect(moved.status, JSON.stringify(moved.body)).to.equal(200);
      for (const [index, now] of (await nows()).entries())
        expect(now - (before[index] ?? 0)).to.be.within(3_600_000, 3_660_000);

      const purged = await at.shop.tester.post('/testing/jobs/purge-idempotency');
      expect(purged.body).to.have.property('removed');
      const delivered = await at.shop.tester.post('/testing/jobs/deliver-webhooks');
      expect(delivered.body).to.have.property('recovered');
      expect((await at.shop.tester.post('/testing/jobs/no-such-job')).status).to.equal(404);
    });

    it('leave books behind that add up', async () => {
      const { problems, sales, deliveries } = await at.shop.audit({}, receiver.received);
      expect(problems).to.deep.equal([]);
      expect({ sales, deliveries }).to.deep.equal({ sales: 1, deliveries: topics.length });
    });
  });
});

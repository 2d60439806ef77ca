import { expect } from 'chai';
import { auditDeliveries } from '#test/support/audit-deliveries.ts';
import { ShopProcess } from '#test/support/shop-process.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

describe('A simulation with webhooks that is killed half way', () => {
  let receiver: Receiver;
  let shop: ShopProcess | null = null;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await shop?.close();
    await receiver.stop();
  });

  it('leaves a shop that starts, and whose log, reports and deliveries agree', async () => {
    const size = ['--orders=2000', '--days=30', `--webhook=${receiver.url}`];
    shop = await ShopProcess.simulate(size, { env: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    await receiver.count(300, 60_000);
    await shop.kill();

    await shop.start();
    const audit = await shop.audit();
    const { deliveries, problems } = await auditDeliveries(shop.dataDir, receiver.received);
    expect([...audit.problems, ...problems]).to.deep.equal([]);
    expect(audit.sales).to.be.within(1, 1999);
    expect(deliveries).to.be.at.least(300);
  });
});

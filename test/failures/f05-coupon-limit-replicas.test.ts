import { expect } from 'chai';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';

const SHOPPERS = 20;

describe('F05 with two replicas of the command service, and no stickiness', () => {
  const three = async (rule: object, code: string | null): Promise<void> => {
    const { open, log } = sharedMemory();
    const shop = await DistributedShop.open({ engines: open, replicas: { command: 2 } });
    try {
      const mug = await shop.sell('mug', { price: 10 });
      await shop.rule('Three', { value: 50, totalUsageLimit: 3, ...rule });
      const shoppers = Array.from({ length: SHOPPERS }, () => shop.shopper());
      for (const [index, shopper] of shoppers.entries()) {
        await shopper.prepare(mug, 1, `s${index}@example.com`);
        if (code !== null) expect((await shopper.applyCode(code)).status).to.equal(200);
      }
      const answers = await Promise.all(shoppers.map((shopper) => shopper.pay()));
      await shop.settle();

      const refused = answers.filter(({ status }) => status === 400);
      expect(refused).to.have.length(SHOPPERS - 3);
      for (const { body } of refused) {
        expect(body.basket).to.deep.include({ discount: 0, total: 17, appliedDiscounts: [] });
        expect(body.warnings).to.have.length(1);
      }
      const count = (wanted: string) =>
        log.readAll(0).then((all) => all.filter(({ type }) => type === wanted));
      expect(await count('InvoiceCreated')).to.have.length(3);
      expect(await count('DiscountUseClaimed')).to.have.length(3);
    } finally {
      await shop.close();
    }
  };

  it('three orders get the code, the others are asked before they pay more', () =>
    three({ method: 'Code', code: 'THREE' }, 'THREE')).timeout(60_000);

  it('three orders get the automatic discount, the others are asked before they pay more', () =>
    three({}, null)).timeout(60_000);
});

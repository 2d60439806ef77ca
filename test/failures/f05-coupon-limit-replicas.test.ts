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
    three({ method: 'Code', code: 'THREE' }, 'THREE'));

  it('a customer gets a discount twice, in however many baskets at once', async () => {
    const { open } = sharedMemory();
    const shop = await DistributedShop.open({ engines: open, replicas: { command: 2 } });
    try {
      const mug = await shop.sell('mug', { price: 10 });
      const id = await shop.rule('Twice', {
        method: 'Code',
        code: 'TWICE',
        value: 50,
        perCustomerUsageLimit: 2,
      });
      const baskets = Array.from({ length: 6 }, () => shop.shopper());
      for (const basket of baskets) {
        await basket.prepare(mug, 1, 'ada@example.com');
        expect((await basket.applyCode('TWICE')).status).to.equal(200);
      }
      const answers = await Promise.all(baskets.map((basket) => basket.pay()));
      await shop.settle();
      const refused = answers.filter(({ status }) => status === 400);
      expect(refused).to.have.length(4);
      for (const { body } of refused) {
        expect(body).to.include({ errorCode: 'CustomerUsageLimitReached' });
        expect(body.basket).to.deep.include({ discount: 0, total: 17 });
      }
      const { body } = await shop.admin.get(`/backoffice/api/v1/discounts/${id}`);
      expect(body).to.include({ usageCount: 2 });
    } finally {
      await shop.close();
    }
  });

  it('three orders get the automatic discount, the others are asked before they pay more', () =>
    three({}, null));
});

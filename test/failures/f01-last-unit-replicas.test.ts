import { expect } from 'chai';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';

const SHOPPERS = 40;

describe('F01 with two replicas of the command service, and no stickiness', () => {
  it('sells the last unit once', async () => {
    const { open, log } = sharedMemory();
    const shop = await DistributedShop.open({ engines: open, replicas: { command: 2 } });
    try {
      const mug = await shop.sell('last-mug', { price: 12, stock: 1 });
      const shoppers = Array.from({ length: SHOPPERS }, () => shop.shopper());
      for (const [index, shopper] of shoppers.entries())
        await shopper.prepare(mug, 1, `s${index}@example.com`);

      const answers = await Promise.all(
        shoppers.map(async (shopper) => {
          const placed = await shopper.pay();
          if (placed.status === 200) await shopper.payWith(placed.body.invoiceId as string);
          return placed;
        }),
      );
      await shop.settle();

      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([
        200,
        ...Array.from({ length: SHOPPERS - 1 }, () => 400),
      ]);
      for (const { status, body } of answers)
        if (status === 400) expect(body.message).to.equal('Product last-mug: 1 wanted, 0 available.');
      expect(await shop.charges()).to.have.length(1);
      const events = await log.readAll(0);
      expect(events.filter(({ type }) => type === 'InvoiceNumberTaken')).to.have.length(1);
      expect(events.filter(({ type }) => type === 'InvoiceCreated')).to.have.length(1);
      expect(events.filter(({ type }) => type === 'StockReserved')).to.have.length(1);
    } finally {
      await shop.close();
    }
  });

  it('gives every order a number without a gap, and refuses none for want of one', async () => {
    const { open, log } = sharedMemory();
    const shop = await DistributedShop.open({ engines: open, replicas: { command: 2 } });
    try {
      const mug = await shop.sell('mug', { price: 12, stock: 100 });
      const shoppers = Array.from({ length: SHOPPERS }, () => shop.shopper());
      for (const [index, shopper] of shoppers.entries())
        await shopper.prepare(mug, 1, `s${index}@example.com`);
      const answers = await Promise.all(shoppers.map((shopper) => shopper.pay()));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
      await shop.settle();
      const taken = (await log.readAll(0)).filter(({ type }) => type === 'InvoiceNumberTaken');
      expect(taken.map(({ revision }) => revision)).to.deep.equal(shoppers.map((_, index) => index));
      expect(new Set(taken.map(({ data }) => data)).size).to.equal(SHOPPERS);
    } finally {
      await shop.close();
    }
  });
});

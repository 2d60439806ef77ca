import { expect } from 'chai';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers, processesOn } from '#test/support/shared-engines.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import type { Shopper } from '#test/support/shop.ts';

const SHOPPERS = 40;
const BUYERS = 30;

onServers((servers) => {
  describe(`F01 with ${processesOn(servers)}`, () => {
    const at = useShopOn(() => servers, { replicas: { command: 2 } });

    const withBaskets = async (productId: string, count: number): Promise<readonly Shopper[]> => {
      const shoppers = Array.from({ length: count }, () => at.shop.shopper());
      await Promise.all(
        shoppers.map((shopper, index) => shopper.prepare(productId, 1, `shopper-${index}@example.com`)),
      );
      return shoppers;
    };
    const statusesOf = (answers: readonly ApiResponse[]) => answers.map(({ status }) => status).toSorted();

    it('sells the last unit once', async () => {
      const mug = await at.shop.sell('last-mug', { price: 12, stock: 1 });
      const shoppers = await withBaskets(mug, SHOPPERS);

      const answers = await Promise.all(shoppers.map((shopper) => shopper.pay()));
      const refused = answers.filter(({ status }) => status !== 200);
      expect(statusesOf(answers)).to.deep.equal([200, ...refused.map(() => 400)]);
      for (const { body } of refused)
        expect(body.message).to.equal('Product last-mug: 1 wanted, 0 available.');
      const index = answers.findIndex(({ status }) => status === 200);
      const paid = await shoppers[index]?.payWith(answers[index]?.body.invoiceId as string);
      expect(paid?.body).to.include({ status: 'Completed' });
      expect(await at.shop.charges()).to.have.length(1);
    });

    it('gives everybody who buys at once a number, and refuses none for want of one', async () => {
      const mug = await at.shop.sell('mug', { price: 12, stock: 100 });
      const shoppers = await withBaskets(mug, BUYERS);
      const answers = await Promise.all(shoppers.map((shopper) => shopper.pay()));
      expect(statusesOf(answers)).to.deep.equal(shoppers.map(() => 200));
      const paid = await Promise.all(
        shoppers.map((shopper, index) => shopper.payWith(answers[index]?.body.invoiceId as string)),
      );
      expect(paid.map(({ body }) => body.status)).to.deep.equal(shoppers.map(() => 'Completed'));
    });

    it('leaves books behind that add up: reservations, numbers without a gap, charges', async () => {
      const { problems, invoices, sales } = await at.shop.audit();
      expect(problems).to.deep.equal([]);
      expect({ invoices, sales }).to.deep.equal({ invoices: 1 + BUYERS, sales: 1 + BUYERS });
    });
  });
});

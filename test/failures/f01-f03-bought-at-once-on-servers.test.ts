import { expect } from 'chai';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers, processesOn } from '#test/support/shared-engines.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import type { Shopper } from '#test/support/shop.ts';

const SHOPPERS = 40;
const BUYERS = 30;
const ADDS = 50;
const plates = Array.from({ length: ADDS + 1 }, (_, index) => `plate-${index}`);
const stock = {
  'last-mug': 1,
  mug: 100,
  ...Object.fromEntries(plates.map((sku) => [sku, 1000])),
};

onServers((servers) => {
  // In one shop, as its processes are most of what this costs.
  describe(`F01 and F03 with ${processesOn(servers)}`, () => {
    const at = useShopOn(() => servers, { replicas: { command: 2 }, storeFile: smallStore({ stock }) });
    before(() => at.shop.settle());
    const baskets = new Map<string, Readonly<Record<string, number>>>();

    const withBaskets = async (productId: string, count: number): Promise<readonly Shopper[]> => {
      const shoppers = Array.from({ length: count }, () => at.shop.shopper());
      await Promise.all(
        shoppers.map((shopper, index) => shopper.prepare(productId, 1, `shopper-${index}@example.com`)),
      );
      return shoppers;
    };
    const statusesOf = (answers: readonly ApiResponse[]) => answers.map(({ status }) => status).toSorted();

    it('sells the last unit once', async () => {
      const shoppers = await withBaskets(variantId('last-mug'), SHOPPERS);

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
      const shoppers = await withBaskets(variantId('mug'), BUYERS);
      const answers = await Promise.all(shoppers.map((shopper) => shopper.pay()));
      expect(statusesOf(answers)).to.deep.equal(shoppers.map(() => 200));
      const paid = await Promise.all(
        shoppers.map((shopper, index) => shopper.payWith(answers[index]?.body.invoiceId as string)),
      );
      expect(paid.map(({ body }) => body.status)).to.deep.equal(shoppers.map(() => 'Completed'));
    });

    it('adds in parallel to one basket, and loses no line and no piece', async () => {
      const [first = '', ...products] = plates.map(variantId);
      const shopper = at.shop.shopper();
      await shopper.add(first);

      const lines = await Promise.all(products.map((product) => shopper.add(product)));
      expect(new Set(lines.map(({ status }) => status))).to.deep.equal(new Set([200]));
      const pieces = await Promise.all(Array.from({ length: ADDS - 1 }, () => shopper.add(first)));
      expect(new Set(pieces.map(({ status }) => status))).to.deep.equal(new Set([200]));

      await at.shop.settle();
      const { body } = await shopper.basket();
      const held = body.lineItems as readonly { readonly quantity: number }[];
      expect(held.map(({ quantity }) => quantity).toSorted((a, b) => a - b)).to.deep.equal([
        ...products.map(() => 1),
        ADDS,
      ]);
      baskets.set(
        shopper.basketId,
        Object.fromEntries([[first, ADDS], ...products.map((product) => [product, 1])]),
      );
    });

    it('leaves books behind that add up: lines, reservations, numbers without a gap, charges', async () => {
      expect(baskets.size).to.equal(1);
      const { problems, invoices, sales } = await at.shop.audit({ baskets });
      expect(problems).to.deep.equal([]);
      expect({ invoices, sales }).to.deep.equal({ invoices: 1 + BUYERS, sales: 1 + BUYERS });
    });
  });
});

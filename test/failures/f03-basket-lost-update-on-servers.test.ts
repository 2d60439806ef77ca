import { expect } from 'chai';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers, processesOn } from '#test/support/shared-engines.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';

const ADDS = 50;
const skus = Array.from({ length: ADDS + 1 }, (_, index) => `product-${index}`);

onServers((servers) => {
  describe(`F03 with ${processesOn(servers)}`, () => {
    const at = useShopOn(() => servers, {
      replicas: { command: 2 },
      storeFile: smallStore({ stock: Object.fromEntries(skus.map((sku) => [sku, 1000])) }),
    });

    it('adds in parallel to one basket, and loses no line and no piece', async () => {
      await at.shop.settle();
      const [first = '', ...products] = skus.map(variantId);
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
      const basketId = shopper.basketId;
      const told = Object.fromEntries([[first, ADDS], ...products.map((product) => [product, 1])]);
      const { problems } = await at.shop.audit({ baskets: new Map([[basketId, told]]) });
      expect(problems).to.deep.equal([]);
    });
  });
});

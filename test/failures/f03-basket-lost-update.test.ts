import { expect } from 'chai';
import { openBasketShop, type Answer, type Goods } from '#test/support/basket-shop.ts';

const skus = Array.from({ length: 50 }, (_, index) => `product ${index}`);
const goods: Readonly<Record<string, Goods>> = {
  ...Object.fromEntries(skus.map((sku): [string, Goods] => [sku, { price: 100 }])),
  mug: { price: 1200, stock: 50 },
};

const linesOf = ({ body }: Answer) => body.lineItems as { readonly sku: string; readonly quantity: number }[];

describe('F03 many adds at once on one cookie', () => {
  it('lose no product', async () => {
    const shop = await openBasketShop(goods);
    const shopper = shop.shopper();
    await shopper.add('mug');
    const answers = await Promise.all(skus.map((sku) => shop.shopper(shopper.basketId()).add(sku)));
    expect(answers.map((answer) => answer.code)).to.deep.equal(skus.map(() => null));
    const settled = await shop.shopper(shopper.basketId()).remove('00000000-0000-4000-8000-000000000000');
    expect(linesOf(settled)).to.have.length(51);
    expect(settled.body).to.deep.include({ itemCount: 51, subTotal: 62 });
  });

  it('lose no piece of one product, and sell none that is not there', async () => {
    const shop = await openBasketShop(goods);
    const shopper = shop.shopper();
    await shopper.add('mug');
    const answers = await Promise.all(skus.map(() => shop.shopper(shopper.basketId()).add('mug')));
    expect(answers.filter((answer) => answer.code === 'out-of-stock')).to.have.length(1);
    const settled = await shop.shopper(shopper.basketId()).remove('00000000-0000-4000-8000-000000000000');
    expect(linesOf(settled)).to.have.length(1);
    expect(linesOf(settled)[0]).to.deep.include({ sku: 'mug', quantity: 50 });
  });

  it('lose no piece when another process writes to the same basket in between', async () => {
    const shop = await openBasketShop(goods);
    const shopper = shop.shopper();
    await shopper.add('mug');
    shop.store.conflictOnce();
    expect((await shopper.add('mug')).body.itemCount).to.equal(2);
  });

  it('make two baskets of two first adds without a cookie', async () => {
    const shop = await openBasketShop(goods);
    const [one, other] = [shop.shopper(), shop.shopper()];
    const answers = await Promise.all([one.add('mug'), other.add('mug')]);
    expect(answers.map((answer) => answer.body.itemCount)).to.deep.equal([1, 1]);
    expect(one.basketId()).to.be.a('string').and.not.equal(other.basketId());
  });
});

import { expect } from 'chai';
import type { ApiResponse } from '../support/browser.ts';
import { faultyEventStore, type FaultyEventStore } from '../support/faults.ts';
import { TestShop, type Shopper } from '../support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

describe('F03 many adds at once on one cookie', () => {
  let shop: TestShop;
  let log: FaultyEventStore;
  let mug: string;
  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    mug = await shop.sell('mug', { price: 12, stock: 50 });
  });
  after(() => shop.close());

  /** The same browser once more, as it is now. */
  const tabOf = ({ cookies }: Shopper): Shopper => {
    const tab = shop.shopper();
    for (const [name, value] of cookies) tab.cookies.set(name, value);
    return tab;
  };
  /** As the log has the basket, not a view of it. */
  const basketOf = (shopper: Shopper): Promise<ApiResponse> =>
    shopper.delete(`/api/shop/storefront/basket/${nobody}`);

  it('lose no product', async () => {
    const others = Array.from({ length: 50 }, (_, index) => `product-${index}`);
    const ids: string[] = [];
    for (const sku of others) ids.push(await shop.sell(sku, { price: 1 }));
    const shopper = shop.shopper();
    await shopper.add(mug);
    const answers = await Promise.all(ids.map((id) => tabOf(shopper).add(id)));
    expect(answers.map(({ status }) => status)).to.deep.equal(ids.map(() => 200));
    const { body } = await basketOf(shopper);
    expect(body.lineItems).to.have.length(51);
    expect(body).to.include({ itemCount: 51, subTotal: 62 });
  });

  it('lose no piece of one product, and sell none that is not there', async () => {
    const shopper = shop.shopper();
    await shopper.add(mug);
    const answers = await Promise.all(Array.from({ length: 50 }, () => tabOf(shopper).add(mug)));
    expect(answers.filter(({ code }) => code === 'out-of-stock')).to.have.length(1);
    const { body } = await basketOf(shopper);
    expect(body.lineItems).to.have.length(1);
    expect(body.lineItems[0]).to.deep.include({ sku: 'mug', quantity: 50 });
  });

  it('lose no piece when another process writes to the same basket in between', async () => {
    const shopper = shop.shopper();
    await shopper.add(mug);
    log.conflictOnce();
    expect((await shopper.add(mug)).body.itemCount).to.equal(2);
  });

  it('make two baskets of two first adds without a cookie', async () => {
    const [one, other] = [shop.shopper(), shop.shopper()];
    const answers = await Promise.all([one.add(mug), other.add(mug)]);
    expect(answers.map(({ body }) => body.itemCount)).to.deep.equal([1, 1]);
    expect(one.basketId).to.not.equal('').and.not.equal(other.basketId);
  });
});

import { expect } from 'chai';
import { DistributedShop, sharedMemory, type Replica } from '#test/support/distributed-shop.ts';
import { holds } from '#test/support/faults.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import type { ShopAt, Shopper } from '#test/support/shop.ts';

/** The same shopper at another replica. */
const movedTo = (at: Pick<ShopAt, 'shopper'>, shopper: Shopper): Shopper => {
  const there = at.shopper();
  for (const [name, value] of shopper.cookies) there.cookies.set(name, value);
  return there;
};

// docs/rules/checkout.md#placing: the answer does not wait for the basket to say that it is placed.
describe('a shop that is killed when `pay` is answered', () => {
  const at = useMortalShop();

  for (const when of ['before', 'after'] as const)
    it(`${when} OrderPlaced, has the order that it promised: once, payable, and the same when asked again`, async () => {
      const mug = await at.shop.sell('mug', { price: 10, stock: 3 });
      await at.shop.discount('TEN', 10, 1);
      const shopper = at.shop.shopper();
      await shopper.prepare(mug);
      await shopper.applyCode('TEN');
      const answered = Promise.withResolvers<void>();
      const ending = Promise.withResolvers<void>();
      at.shop.log[when === 'before' ? 'runBefore' : 'runAfter']('append', holds('OrderPlaced'), async () => {
        ending.resolve();
        await answered.promise;
        throw new Error('the process has died');
      });
      const { body: promised } = await shopper.pay();
      expect(promised.success).to.equal(true);
      await ending.promise;
      answered.resolve();

      await at.shop.live();
      await at.shop.settle();
      const log = await at.shop.engines.store.readAll(0, 1000);
      expect(log.filter(({ type }) => type === 'OrderPlaced')).to.have.length(1);
      expect((await shopper.pay()).body.invoiceId).to.equal(promised.invoiceId);
      expect((await shopper.payWith(promised.invoiceId)).body.status).to.equal('Completed');
      expect(await at.shop.charges(promised.invoiceId)).to.have.length(1);
      expect(await at.shop.soundSales()).to.equal(1);
    });
});

describe('an order that is paid at one replica before its basket is placed at another', () => {
  let shop: DistributedShop;
  afterEach(() => shop.close());

  it('is sold once, and its placement has ended once', async () => {
    const { open, log } = sharedMemory();
    shop = await DistributedShop.open({ engines: open, replicas: { command: 2 } });
    const [one, other] = shop.replicas('command') as readonly [Replica, Replica];
    const mug = await shop.sell('mug', { price: 10, stock: 3 });
    await shop.discount('TEN', 10, 1);
    const shopper = one.at.shopper();
    await shopper.prepare(mug);
    await shopper.applyCode('TEN');
    const [onItsWay, sold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    log.runBefore('append', holds('OrderPlaced'), () => {
      onItsWay.resolve();
      return sold.promise;
    });
    const { invoiceId } = (await shopper.pay()).body;
    await onItsWay.promise;
    const paid = await movedTo(other.at, shopper).payWith(invoiceId);
    expect(paid.body, paid.text).to.include({ status: 'Completed' });
    sold.resolve();
    await shop.settle();
    const types = (await log.readAll(0, 1000)).map(({ type }) => type);
    for (const once of ['OrderPlaced', 'BasketCompleted', 'DiscountUseSettled', 'SaleConfirmed'])
      expect(
        types.filter((type) => type === once),
        once,
      ).to.have.length(1);
    expect(types).to.not.include('OrderPlacementResumed');
  });
});

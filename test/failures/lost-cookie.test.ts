import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { faultyEventStore, type FaultyEventStore, holds } from '#test/support/faults.ts';
import { MortalShop } from '#test/support/mortal-shop.ts';
import { TestShop, type ShopAt, type Shopper } from '#test/support/shop.ts';

/** Product ids in a basket, with their quantities. */
const contents = ({ body }: ApiResponse): Record<string, number> =>
  Object.fromEntries(
    (body.lineItems as { productId: string | null; quantity: number }[])
      .filter(({ productId }) => productId !== null)
      .map(({ productId, quantity }) => [productId, quantity]),
  );

/** A tab of the same browser, whose answers do not come in for now; perhaps at another replica. */
const tabOf = (shopper: Shopper, at: Pick<ShopAt, 'shopper'>): Shopper => {
  const tab = at.shopper();
  for (const [name, value] of shopper.cookies) tab.cookies.set(name, value);
  return tab;
};

const comeIn = (shopper: Shopper, ...answers: readonly ApiResponse[]): void => {
  for (const { headers } of answers) for (const line of headers.getSetCookie()) shopper.keep(line);
};

/** The order in which two answers come in. */
const orders = { 'the add': [0, 1], 'the payment': [1, 0] } as const;

describe('The cookie of a basket that is bought while somebody adds to it', () => {
  let log: FaultyEventStore;
  let shop: TestShop;
  let mug: string;
  let tea: string;
  let shopper: Shopper;
  let invoiceId: string;

  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    mug = await shop.sell('mug', { price: 10 });
    tea = await shop.sell('tea', { price: 4 });
  });
  after(() => shop.close());
  beforeEach(async () => {
    shopper = shop.shopper();
    await shopper.prepare(mug);
    invoiceId = (await shopper.pay()).body.invoiceId;
  });

  for (const [last, order] of Object.entries(orders)) {
    for (const type of ['PaymentCaptured', 'BasketCompleted', 'SaleConfirmed']) {
      it(`leads to the line when the answer to ${last} comes last and the add came with ${type}`, async () => {
        const [paying, adding] = [tabOf(shopper, shop), tabOf(shopper, shop)];
        let added: Promise<ApiResponse> | undefined;
        log.runAfter('append', holds(type), () => {
          added = adding.add(tea);
        });
        const paid = await paying.payWith(invoiceId);
        const answers = [paid, (await added) ?? expect.fail('nothing was added')];
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
        comeIn(shopper, ...order.map((index) => answers[index] as ApiResponse));
        expect(contents(await shopper.basket())).to.deep.equal({ [tea]: 1 });
      });
    }
  }

  it('leads both of two tabs into one basket', async () => {
    const tabs = [tabOf(shopper, shop), tabOf(shopper, shop)];
    const paid = await shopper.payWith(invoiceId);
    comeIn(shopper, ...(await Promise.all(tabs.map((tab) => tab.add(tea)))), paid);
    expect(contents(await shopper.basket())).to.deep.equal({ [tea]: 2 });
  });

  it('is that of a basket which is not there yet: it reads as none, and the next add begins it', async () => {
    const bought = shopper.basketId;
    await shopper.payWith(invoiceId);
    const next = shopper.basketId;
    expect(next)
      .to.match(/^[0-9a-f-]{36}$/)
      .and.not.equal(bought);
    expect((await shopper.basket()).body).to.include({ isEmpty: true, itemCount: 0 });
    expect((await shopper.pay()).status).to.equal(400);
    expect(contents(await shopper.add(tea))).to.deep.equal({ [tea]: 1 });
    expect(shopper.basketId).to.equal(next);
  });

  it('leads on to the basket after the next one once that is bought, too', async () => {
    const late = tabOf(shopper, shop);
    await shopper.payWith(invoiceId);
    await shopper.prepare(mug);
    await shopper.payWith((await shopper.pay()).body.invoiceId);
    await late.add(tea);
    expect(late.basketId).to.equal(shopper.basketId);
    expect(contents(await late.basket())).to.deep.equal({ [tea]: 1 });
  });

  it('may be the next one’s already when the payment is asked for again: nobody is taken for a stranger', async () => {
    await tabOf(shopper, shop).payWith(invoiceId);
    const bought = shopper.basketId;
    await shopper.add(tea);
    expect(shopper.basketId).to.not.equal(bought);
    const again = await shopper.payWith(invoiceId);
    expect(again.status, again.text).to.be.oneOf([200, 400]);
    expect((await shop.shopper().payWith(invoiceId)).status).to.equal(403);
  });
});

describe('The same with two processes', () => {
  let shop: DistributedShop;
  before(async () => {
    shop = await DistributedShop.open({ engines: sharedMemory().open, replicas: { command: 2 } });
  });
  after(() => shop.close());

  for (const [last, order] of Object.entries(orders)) {
    it(`leads to the line when the answer to ${last} comes last`, async () => {
      const [one, other] = shop.replicas('command').map(({ at }) => at);
      if (!one || !other) return expect.fail('there are not two replicas');
      const mug = await shop.sell(`mug ${last}`, { price: 10 });
      const tea = await shop.sell(`tea ${last}`, { price: 4 });
      const shopper = shop.shopper();
      await shopper.prepare(mug);
      const { invoiceId } = (await shopper.pay()).body;
      const [paying, adding] = [tabOf(shopper, one), tabOf(shopper, other)];
      // The other process knows the basket as it was before.
      await tabOf(shopper, other).post('/api/shop/storefront/basket/update', {
        lineItemId: mug,
        quantity: 1,
      });
      const [paid, added] = await Promise.all([paying.payWith(invoiceId), adding.add(tea)]);
      const later = await adding.add(tea);
      expect([paid.status, added.status, later.status]).to.deep.equal([200, 200, 200]);
      comeIn(shopper, ...order.map((index) => [paid, later][index] as ApiResponse));
      expect(contents(await shopper.basket())).to.deep.equal({ [tea]: 2 });
    });
  }
});

describe('The same with a kill', () => {
  it('adds once what is asked for again after it', async () => {
    const shop = await MortalShop.open();
    try {
      const tea = await shop.sell('tea', { price: 4 });
      const shopper = shop.shopper();
      await shopper.prepare(tea);
      const { invoiceId } = (await shopper.pay()).body;
      const adding = tabOf(shopper, shop);
      const paid = await shopper.payWith(invoiceId);
      expect(paid.body.status).to.equal('Completed');
      const key = { 'Idempotency-Key': 'one tea' };
      const add = () => adding.post('/api/shop/storefront/basket/add', { productId: tea }, key);
      await shop.live({ when: 'after', eventType: 'BasketStarted' });
      await shop.dieOf(add());
      await shop.live();
      expect((await add()).status).to.equal(200);
      comeIn(shopper, paid);
      expect(contents(await shopper.basket())).to.deep.equal({ [tea]: 1 });
      expect((await shop.audit()).problems).to.deep.equal([]);
    } finally {
      await shop.close();
    }
  });
});

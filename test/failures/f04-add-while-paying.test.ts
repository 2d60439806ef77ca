import { expect } from 'chai';
import { wanting } from '#test/support/agents/asking-agent.ts';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { faultyEventStore, type FaultyEventStore, holds } from '#test/support/faults.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

/** Product ids in a basket, with their quantities. */
const contents = ({ body }: ApiResponse): Record<string, number> =>
  Object.fromEntries(
    (body.lineItems as { productId: string | null; quantity: number }[])
      .filter(({ productId }) => productId !== null)
      .map(({ productId, quantity }) => [productId, quantity]),
  );

describe('F04: a line is added while the basket is paid', () => {
  let log: FaultyEventStore;
  let shop: TestShop;
  let mug: string;
  let tea: string;
  let shopper: Shopper;

  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    mug = await shop.sell('mug', { price: 10 });
    tea = await shop.sell('tea', { price: 4 });
  });
  after(() => shop.close());
  beforeEach(async () => {
    shopper = shop.shopper();
    await shopper.prepare(mug);
  });

  /** Adds tea while an event of this type is on its way into the log; returns what the shopper was told. */
  const addDuring = (type: string): { readonly answer: () => Promise<ApiResponse> } => {
    let added: Promise<ApiResponse> | null = null;
    log.runBefore('append', holds(type), () => {
      added = shopper.add(tea);
    });
    return { answer: () => added ?? Promise.reject(new Error(`${type} was not written`)) };
  };

  const charged = async (invoiceId: string) => {
    await shopper.payWith(invoiceId);
    return (await shop.charges())
      .filter((charge) => charge.invoiceId === invoiceId)
      .map(({ amount }) => amount);
  };

  for (const type of ['OrderPlacementStarted', 'InvoiceNumberTaken', 'InvoiceCreated']) {
    it(`while ${type} is written: it is refused or stays out, and what is invoiced is charged`, async () => {
      const adding = addDuring(type);
      const placed = await shopper.pay();
      const added = await adding.answer();
      expect(added.status).to.be.oneOf([200, 409]);
      expect(await charged(placed.body.invoiceId)).to.deep.equal([17]);
      await shop.settle();
      expect(contents(await shopper.basket())).to.deep.equal(added.status === 200 ? { [tea]: 1 } : {});
    });
  }

  it('between invoice and payment: it goes to the next basket, and the invoice is charged', async () => {
    const placed = await shopper.pay();
    expect((await shopper.add(tea, 3)).status).to.equal(200);
    expect((await shopper.add(mug, 1)).status).to.equal(200);
    expect(await charged(placed.body.invoiceId)).to.deep.equal([17]);
    await shop.settle();
    expect(contents(await shopper.basket())).to.deep.equal({ [tea]: 3, [mug]: 1 });
  });

  for (const type of ['PaymentAttempted', 'PaymentCaptured', 'BasketCompleted', 'SaleConfirmed']) {
    it(`while ${type} is written: it is in a basket afterwards, not lost and not charged`, async () => {
      const placed = await shopper.pay();
      const adding = addDuring(type);
      expect(await charged(placed.body.invoiceId)).to.deep.equal([17]);
      const added = await adding.answer();
      expect(added.status).to.equal(200);
      await shop.settle();
      expect(contents(await shopper.basket())).to.deep.equal({ [tea]: 1 });
    });
  }

  it('and paid: a new order in between is charged as it was invoiced', async () => {
    const first = await shopper.pay();
    await shopper.add(tea);
    const second = await shopper.pay();
    expect(second.body.invoiceId).to.not.equal(first.body.invoiceId);
    expect(await charged(second.body.invoiceId)).to.deep.equal([21.8]);
  });

  for (const type of ['OrderPlacementStarted', 'InvoiceCreated', 'PaymentAttempted', 'PaymentCaptured'])
    it(`by an agent while ${type} is written: it is refused, and what it was shown is charged`, async () => {
      const agent = new BuyingAgent(shop.base);
      const { path } = await agent.begin([mug, 1]);
      const changed = Promise.withResolvers<ApiResponse>();
      log.runBefore('append', holds(type), () => {
        const more = { line_items: wanting([mug, 1], [tea, 1]) };
        void agent.browser.put(path, more).then(changed.resolve, changed.reject);
      });
      const done = await agent.complete(path);
      expect([done.status, done.body.status], done.text).to.deep.equal([200, 'completed']);
      const { status, body } = await changed.promise;
      expect([status, body.messages[0].code]).to.deep.equal([409, 'checkout_not_modifiable']);
      const amounts = (await shop.charges(done.body.order.id)).map(({ amount }) => amount);
      expect(amounts).to.deep.equal([17]);
      expect((await agent.browser.get(path)).body.line_items).to.have.length(1);
    });
});

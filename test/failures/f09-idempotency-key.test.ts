import { expect } from 'chai';
import { faultyEventStore, type FaultyEventStore, holds } from '#test/support/faults.ts';
import { createWidgetOrder, keyed, payElsewhere, payExpress } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const add = '/api/shop/storefront/basket/add';

const told = ({ status, body }: ApiResponse) => ({ status, body: body as unknown });

describe('F09: an idempotency key', () => {
  let log: FaultyEventStore;
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;

  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());
  beforeEach(async () => {
    shopper = shop.shopper();
    await shopper.prepare(mug);
  });

  const addOne = (key: string, quantity = 1) =>
    shopper.post(add, { productId: mug, quantity }, { 'Idempotency-Key': key });
  const mugs = async (): Promise<number> => (await shopper.basket()).body.itemCount ?? 0;
  const forgetResponses = () =>
    shop.shop.runtime.stateStore.deleteMany('idempotency', { expiresAt: { gte: 0 } }, 1000);

  it('gives the same answer to the same body, and does it once', async () => {
    const first = await addOne('same');
    expect(told(await addOne('same'))).to.deep.equal(told(first));
    expect(await mugs()).to.equal(2);
  });

  it('is accepted in the body as well', async () => {
    const body = { productId: mug, quantity: 1, idempotencyKey: 'in the body' };
    await shopper.post(add, body);
    await shopper.post(add, body);
    expect(await mugs()).to.equal(2);
  });

  it('refuses another body', async () => {
    await addOne('other');
    const other = await addOne('other', 5);
    expect(other.status).to.equal(409);
    expect(other.body.success).to.equal(false);
    expect(await mugs()).to.equal(2);
  });

  it('runs one of two at once; the other waits and is told the same', async () => {
    const [one, two] = await Promise.all([addOne('twins'), addOne('twins')]);
    expect(told(two)).to.deep.equal(told(one));
    expect(await mugs()).to.equal(2);
  });

  it('is not remembered with a request that was not valid', async () => {
    expect((await addOne('typo', 0)).status).to.equal(400);
    expect((await addOne('typo', 2)).status).to.equal(200);
    expect(await mugs()).to.equal(3);
  });

  it('recognises what had been done when the answer was an error of ours', async () => {
    log.runAfter('append', holds('BasketLineQuantityChanged'), () => {
      throw new Error('the process stumbled');
    });
    shopper.expectsDefects = true;
    expect((await addOne('stumble')).status).to.equal(500);
    expect((await addOne('stumble')).status).to.equal(200);
    expect(await mugs()).to.equal(2);
  });

  it('rebuilds an answer that was lost, without doing it again', async () => {
    const first = await addOne('lost');
    await forgetResponses();
    const again = await addOne('lost');
    expect(again.status).to.equal(200);
    expect(again.body.basket).to.deep.equal(first.body.basket);
    expect(await mugs()).to.equal(2);
  });

  it('makes one order of two that pay, also when the answer was lost', async () => {
    const key = { 'Idempotency-Key': 'order' };
    const first = await shopper.pay(key);
    expect(told(await shopper.pay(key))).to.deep.equal(told(first));
    await forgetResponses();
    expect((await shopper.pay(key)).body.invoiceId).to.equal(first.body.invoiceId);
    const invoices = (await eventsIn(shop)).filter(
      ({ type, stream }) => type === 'InvoiceCreated' && stream.endsWith(first.body.invoiceId),
    );
    expect(invoices).to.have.length(1);
  });

  it('takes one payment of two, also when the answer was lost', async () => {
    const { invoiceId } = (await shopper.pay()).body;
    const basketOnly = new Map(shopper.cookies);
    const key = { 'Idempotency-Key': 'payment' };
    const answers = [];
    for (const isForgotten of [false, false, true]) {
      if (isForgotten) await forgetResponses();
      for (const [name, value] of basketOnly) shopper.cookies.set(name, value);
      answers.push(await shopper.payWith(invoiceId, 'tok_success', key));
    }
    expect(new Set(answers.map(({ body }) => body.paymentId)).size).to.equal(1);
    expect(answers.map(({ body }) => body.status)).to.deep.equal(['Completed', 'Completed', 'Completed']);
    expect((await shop.charges()).filter((charge) => charge.invoiceId === invoiceId)).to.have.length(1);
  });

  /** What buys in one step, and what begins a payment elsewhere: `is` names what must be the same one each time. */
  for (const { title, begin, is, charges } of [
    { title: 'with a wallet', begin: payExpress(), is: 'paymentId', charges: 1 },
    { title: 'at a page of the provider', begin: payElsewhere('redirect'), is: 'sessionId', charges: 0 },
    { title: 'in a widget', begin: createWidgetOrder(), is: 'orderId', charges: 0 },
  ])
    it(`means one order and one payment of two at once ${title}, also when the answer was lost`, async () => {
      const { basketId } = shopper;
      const basketOnly = new Map(shopper.cookies);
      const once = keyed(`once ${title}`, begin);
      const twins = await Promise.all([shopper.ask(once), shopper.ask(once)]);
      await forgetResponses();
      shopper.cookies.clear();
      for (const [name, value] of basketOnly) shopper.cookies.set(name, value);
      const answers = [...twins, await shopper.ask(once)];
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      const [{ invoiceId, [is]: known }] = answers.map(({ body }) => body) as [Record<string, string>];
      expect(known).to.be.a('string');
      expect(answers.map(({ body }) => [body.invoiceId, body[is]])).to.deep.equal(
        answers.map(() => [invoiceId, known]),
      );
      const created = (await eventsIn(shop)).filter(({ type }) => type === 'InvoiceCreated');
      const ofBasket = created.filter(({ data }) => JSON.stringify(data).includes(basketId));
      expect(ofBasket.map(({ stream }) => stream)).to.deep.equal([`invoice-${invoiceId}`]);
      const charged = (await shop.charges()).filter((charge) => charge.invoiceId === invoiceId);
      expect(charged).to.have.length(charges);
    });
});

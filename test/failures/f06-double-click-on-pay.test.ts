import { expect } from 'chai';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { typedAddress } from '#test/support/builders/address.ts';
import { keyed, payExpress } from '#test/support/requests.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

describe('F06: a double click on pay', () => {
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 5 });
  });
  after(() => shop.close());
  beforeEach(() => {
    shopper = shop.shopper();
  });

  const reserved = async (): Promise<number> => {
    const rows = (await eventsIn(shop)).filter(({ stream }) => stream.startsWith('stock-'));
    return (rows.at(-1)?.data as { reserved?: number }).reserved ?? 0;
  };

  it('makes one invoice, and pressing again means the same one', async () => {
    await shopper.prepare(mug, 2);
    const clicks = await Promise.all([shopper.pay(), shopper.pay(), shopper.pay()]);
    expect(clicks.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const invoices = new Set([...clicks, await shopper.pay()].map(({ body }) => body.invoiceId));
    expect(invoices.size).to.equal(1);
    expect((await eventsIn(shop)).filter(({ type }) => type === 'InvoiceCreated')).to.have.length(1);
    expect(await reserved()).to.equal(2);
  });

  it('is followed by a new invoice once something has changed, and the older one cannot be paid any more', async () => {
    await shopper.prepare(mug, 1);
    const before = await reserved();
    const first = (await shopper.pay()).body.invoiceId;
    await shopper.giveAddress('ada@example.com', typedAddress({ addressOne: '13 St James Square' }));
    const second = await shopper.pay();
    expect(second.status).to.equal(200);
    expect(second.body.invoiceId).to.not.equal(first);
    expect(await reserved()).to.equal(before + 1);

    const late = await shopper.payWith(first);
    expect([late.status, late.body.success]).to.deep.equal([400, false]);
    expect((await shopper.payWith(second.body.invoiceId)).body.status).to.equal('Completed');
    const charges = (await shop.charges()).filter(({ invoiceId }) =>
      [first, second.body.invoiceId].includes(invoiceId),
    );
    expect(charges).to.have.length(1);
  });

  it('gives back what the new invoice does not need', async () => {
    const before = await reserved();
    await shopper.prepare(mug, 2);
    await shopper.pay();
    const [line] = (await shopper.basket()).body.lineItems as { id: string }[];
    await shopper.update(line?.id ?? '', 1);
    expect((await shopper.pay()).status).to.equal(200);
    expect(await reserved()).to.equal(before + 1);
  });

  it('of an agent is one order and one charge, under one key and under none', async () => {
    const jug = await shop.sell('jug', { price: 10 });
    const agent = new BuyingAgent(shop.base);
    const placed = async () => (await eventsIn(shop)).filter(({ type }) => type === 'InvoiceCreated').length;
    for (const key of ['the-double-click', null]) {
      const before = await placed();
      const { path } = await agent.begin([jug, 1]);
      const click = () => agent.complete(path, 'tok_success', key === null ? {} : { key });
      const clicks = await Promise.all([click(), click(), click()]);
      await shop.settle();
      const { body } = await agent.browser.get(path);
      expect(body.status).to.equal('completed');
      const done = clicks.filter(({ status }) => status === 200);
      const refused = clicks.filter(({ status }) => status !== 200);
      expect(done.length).to.be.at.least(1);
      for (const answer of done)
        if (answer.body.status === 'completed') expect(answer.body.order).to.deep.equal(body.order);
      for (const { status, text } of refused) expect(status, text).to.equal(409);
      if (key !== null) expect(refused, 'they waited for the first').to.deep.equal([]);
      expect(await placed()).to.equal(before + 1);
      expect(await shop.charges(body.order.id)).to.have.length(1);
    }
  });
});

describe('F06: a double click on a wallet', () => {
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 5 });
  });
  after(() => shop.close());
  beforeEach(async () => {
    shopper = shop.shopper();
    await shopper.prepare(mug);
  });

  const countOf = async (type: string, stream?: string): Promise<number> =>
    (await eventsIn(shop)).filter((event) => event.type === type && (!stream || event.stream === stream))
      .length;

  it('is one order and one charge, with a key and without', async () => {
    for (const buy of [payExpress(), keyed('double click', payExpress())]) {
      const before = await countOf('InvoiceCreated');
      const clicks = await Promise.all([1, 2, 3].map(() => shopper.ask(buy)));
      const bought = clicks.filter(({ status }) => status === 200);
      expect(bought.length).to.be.at.least(1);
      const invoices = new Set(bought.map(({ body }) => body.invoiceId as string));
      expect(invoices.size).to.equal(1);
      expect(await countOf('InvoiceCreated')).to.equal(before + 1);
      const [invoiceId = ''] = invoices;
      expect(bought.every(({ body }) => body.status === 'completed')).to.equal(true);
      expect(await shop.charges(invoiceId)).to.have.length(1);
      expect(await countOf('SaleConfirmed', `invoice-${invoiceId}`)).to.equal(1);
      shopper = shop.shopper();
      await shopper.prepare(mug);
    }
  });

  it('beside one on pay is one order, which one of them pays', async () => {
    const before = await countOf('InvoiceCreated');
    const [placed, bought] = await Promise.all([shopper.pay(), shopper.ask(payExpress())]);
    const invoices = new Set(
      [placed, bought].filter(({ status }) => status === 200).map(({ body }) => body.invoiceId as string),
    );
    expect(invoices.size).to.equal(1);
    expect(await countOf('InvoiceCreated')).to.equal(before + 1);
    const [invoiceId = ''] = invoices;
    if (bought.status !== 200) await shopper.payWith(invoiceId);
    expect(await shop.charges(invoiceId)).to.have.length(1);
  });

  it('that failed is followed by a new invoice once the address has changed; only that can be paid', async () => {
    const first = (await shopper.ask(payExpress({ paymentToken: 'tok_decline' }))).body.invoiceId as string;
    await shopper.giveAddress('ada@example.com', typedAddress({ addressOne: '13 St James Square' }));
    const { body } = await shopper.ask(payExpress());
    expect(body).to.include({ status: 'completed' });
    expect(body.invoiceId).to.not.equal(first);
    expect((await shopper.payWith(first)).status).to.equal(400);
    expect(await shop.charges(first)).to.have.length(0);
  });
});

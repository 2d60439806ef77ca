import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { Browser } from '#test/support/browser.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { sendEvent, type SandboxEvent } from '#test/support/provider-callbacks.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type ShopAt } from '#test/support/shop.ts';

const EVENTS = 30;
const COPIES = 5;
const unlimited = { Payments__CallbacksPerMinute: '0' };

/** An unpaid invoice for a product. */
const invoiceFor = async (shop: Pick<ShopAt, 'shopper'>, productId: string): Promise<string> => {
  const shopper = shop.shopper();
  await shopper.prepare(productId);
  return (await shopper.pay()).body.invoiceId;
};

const paymentOf = (invoiceId: string): SandboxEvent => ({
  id: newId(),
  type: 'PaymentCompleted',
  data: { transactionId: `tx-${invoiceId}`, invoiceId, amount: 17, currency: 'GBP' },
});
const refundOf = (invoiceId: string): SandboxEvent => ({
  id: newId(),
  type: 'RefundCompleted',
  data: {
    transactionId: `tx-${invoiceId}`,
    invoiceId,
    refundId: `re-${invoiceId}`,
    amount: 5,
    currency: 'GBP',
  },
});

/** Five copies of one event at once; each is answered 200, one of them as the first. */
const tellAtOnce = async (callers: readonly Browser[], event: SandboxEvent): Promise<void> => {
  const copies = Array.from({ length: COPIES }, (_, index) => callers[index % callers.length] as Browser);
  const answers = await Promise.all(copies.map((caller) => sendEvent(caller, event)));
  expect(answers.map(({ status }) => status)).to.deep.equal(copies.map(() => 200));
  const messages = answers.map(({ body }) => body.message as string).sort();
  expect(messages).to.deep.equal([
    ...Array<string>(COPIES - 1).fill('Already processed'),
    'Webhook processed',
  ]);
};

describe(`F28: ${COPIES} copies of a callback at once`, () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open({ environment: unlimited });
  });
  after(() => shop.close());

  it(`have one effect, for ${EVENTS} payments and their refunds at once, in whichever order these come`, async () => {
    const mug = await shop.sell('mug', { price: 10 });
    const invoices = await Promise.all(Array.from({ length: EVENTS }, () => invoiceFor(shop, mug)));
    const all = invoices.flatMap((invoiceId) => [refundOf(invoiceId), paymentOf(invoiceId)]);
    await Promise.all(all.map((event) => tellAtOnce([shop.tester], event)));
    await shop.settle();
    const count = async (type: string): Promise<number> =>
      (await eventsIn(shop)).filter((event) => event.type === type).length;
    expect({
      payments: await count('PaymentCaptured'),
      sales: await count('SaleConfirmed'),
      refunds: await count('PaymentRefunded'),
      charges: (await shop.charges()).length,
    }).to.deep.equal({ payments: EVENTS, sales: EVENTS, refunds: EVENTS, charges: EVENTS });
  });
});

describe('F28 with two processes', () => {
  let shop: DistributedShop;
  let callers: readonly Browser[];
  before(async () => {
    shop = await DistributedShop.open({ engines: sharedMemory().open, replicas: { command: 2 } });
    callers = shop.replicas('command').map(({ at }) => new Browser(at.base));
  });
  after(() => shop.close());

  it('has one effect for copies at both, and counts sixty a minute for both together', async () => {
    const mug = await shop.sell('mug', { price: 10 });
    const invoices = await Promise.all([1, 2, 3, 4].map(() => invoiceFor(shop, mug)));
    await Promise.all(invoices.map((invoiceId) => tellAtOnce(callers, paymentOf(invoiceId))));
    await shop.settle();
    for (const invoiceId of invoices) {
      const { body } = await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`);
      expect(body).to.include({ paymentStatus: 'Paid', amountPaid: 17, creditDue: 0 });
    }
    expect(await shop.charges()).to.have.length(4);
    // Twenty so far.
    for (let time = 0; time < 40; time++)
      await sendEvent(callers[time % 2] as Browser, { type: 'Greeting', data: {} });
    for (const caller of callers) {
      const { status, body } = await sendEvent(caller, { type: 'Greeting', data: {} });
      expect([status, body]).to.deep.equal([429, { message: 'Too many requests.' }]);
    }
  });
});

describe('F28 with a kill', () => {
  const at = useMortalShop();

  for (const when of ['before', 'after'] as const) {
    it(`records once a payment that was being recorded, ${when} it was in the log, when it is told again`, async () => {
      const mug = await at.shop.sell('mug', { price: 10 });
      await at.shop.live({ when, eventType: 'PaymentCaptured' });
      const invoiceId = await invoiceFor(at.shop, mug);
      const event = paymentOf(invoiceId);
      await at.shop.killedBy(sendEvent(at.shop.tester, event));
      const messages = [];
      for (let copy = 0; copy < 2; copy++)
        messages.push((await sendEvent(at.shop.tester, event)).body.message);
      expect(messages).to.deep.equal(['Webhook processed', 'Already processed']);
      expect((await at.shop.charges()).map((charge) => charge.invoiceId)).to.deep.equal([invoiceId]);
      expect(await at.shop.soundSales()).to.equal(1);
    });
  }

  it('keeps the book of the provider and the log alike, where another amount is told after the kill', async () => {
    const mug = await at.shop.sell('mug', { price: 10 });
    await at.shop.live({ when: 'before', eventType: 'PaymentCaptured' });
    const invoiceId = await invoiceFor(at.shop, mug);
    const first = paymentOf(invoiceId);
    const other = { ...first, id: newId(), data: { ...first.data, amount: 12 } };
    await at.shop.killedBy(sendEvent(at.shop.tester, first));
    for (const event of [other, first])
      expect((await sendEvent(at.shop.tester, event)).body.message).to.equal('Webhook processed');
    await at.shop.settle();
    const { body: order } = await at.shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`);
    const booked = (await at.shop.charges()).filter((charge) => charge.invoiceId === invoiceId);
    expect(booked.map(({ amount }) => amount)).to.deep.equal([order.amountPaid]);
    const look = '/backoffice/api/v1/health-checks/payment-differences';
    expect((await at.shop.admin.post(`${look}/run`)).body).to.include({
      status: 'warning',
      affectedCount: 1,
    });
    const { items } = (await at.shop.admin.get(`${look}/details`)).body;
    expect(items[0].description).to.match(/as 17\.00 GBP and as 12\.00 GBP\. 17\.00 GBP are recorded|17/);
  });
});

describe('F28: contradictory callbacks', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open({ environment: unlimited });
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  const look = '/backoffice/api/v1/health-checks/payment-differences';
  /** In every order, with copies: what the provider's books say of an invoice and what the log says. */
  const orders = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
    items.length <= 1
      ? [items]
      : items.flatMap((item, at) => orders(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));

  it('leave books and log alike in every order of a payment told twice otherwise, its refund and the end of that', async () => {
    for (const kinds of orders(['paid', 'paid less', 'refunded', 'refunded more', 'refund failed'])) {
      const invoiceId = await invoiceFor(shop, mug);
      const payment = paymentOf(invoiceId);
      const refund = refundOf(invoiceId);
      const told: Record<string, SandboxEvent> = {
        paid: payment,
        'paid less': { ...payment, id: newId(), data: { ...payment.data, amount: 12 } },
        refunded: refund,
        'refunded more': { ...refund, id: newId(), data: { ...refund.data, amount: 6 } },
        'refund failed': { ...refund, id: newId(), type: 'RefundFailed' },
      };
      for (const kind of kinds)
        expect((await sendEvent(shop.tester, told[kind] as SandboxEvent)).status, kinds.join()).to.equal(200);
      await shop.tester.post('/testing/jobs/apply-parked-callbacks');
      await shop.settle();
      const { body: order } = await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`);
      const booked = (await shop.charges()).filter((charge) => charge.invoiceId === invoiceId);
      const refunds = (await shop.tester.get('/testing/sandbox-refunds')).body as readonly {
        readonly invoiceId: string;
        readonly amount: number;
      }[];
      const given = refunds.filter((one) => one.invoiceId === invoiceId);
      const sum = (all: readonly { readonly amount: number }[]) =>
        all.reduce((total, { amount }) => total + amount, 0);
      expect({ paid: order.amountPaid, refunded: order.amountRefunded }, kinds.join()).to.deep.equal({
        paid: sum(booked),
        refunded: sum(given),
      });
    }
    const { body } = await shop.admin.post(`${look}/run`);
    expect(body.affectedCount, 'each of them is on the list').to.be.at.least(120);
  });
});

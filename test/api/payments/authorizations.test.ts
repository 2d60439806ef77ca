import { expect } from 'chai';
import {
  captureWidgetOrder,
  createWidgetOrder,
  manage,
  ordered,
  payElsewhere,
  payExpress,
  payThat,
  readyToPay,
  returnFromProvider,
  type Step,
} from '#test/support/requests.ts';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import { eventTypesOf } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const DAY = 24 * 3600;

/** How a shopper pays, and what it is answered. */
const ways: Readonly<
  Record<string, { readonly steps: (mug: string) => readonly Step[]; readonly status: string }>
> = {
  'by card': { steps: (mug) => [...ordered(mug), payThat()], status: 'Authorized' },
  'at a page of the provider': {
    steps: (mug) => [
      ...readyToPay(mug),
      payElsewhere('redirect'),
      ({ body }) => returnFromProvider({ sessionId: body.sessionId }),
    ],
    status: 'Authorized',
  },
  'in a widget': {
    steps: (mug) => [...readyToPay(mug), createWidgetOrder(), ({ body }) => captureWidgetOrder(body.orderId)],
    status: 'Authorized',
  },
  // A wallet knows three outcomes only.
  'with a wallet': { steps: (mug) => [...readyToPay(mug), payExpress()], status: 'completed' },
};

// docs/rules/authorizations.md
describe('an order whose money is only authorised', () => {
  let shop: TestShop;
  let mug: string;
  beforeEach(async () => {
    shop = await TestShop.open({ environment: { Payments__Sandbox__Capture: 'manual' } });
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  afterEach(() => shop.close());

  const authorized = async (way = 'by card') => {
    const { steps, status } = ways[way] ?? expect.fail(way);
    const told = steps(mug);
    const last = told.at(-1) ?? expect.fail('no steps');
    const { body } = await shop
      .given(...told.slice(0, -1))
      .when(last)
      .then(200, { success: true, status });
    await shop.settle();
    const invoiceId = body.invoiceId as string;
    const { items } = await shop.shown(`/invoices/${invoiceId}/payments`);
    expect(items).to.have.length(1);
    return { invoiceId, paymentId: items[0].id as string };
  };
  const statusOf = (invoiceId: string) => shop.shown(`/invoices/${invoiceId}/payment-status`);
  const ask = (verb: string, paymentId: string, body: object = {}) =>
    shop.admin.ask(manage.post(`/payments/${paymentId}/${verb}`, body));
  const statusesOfCharges = async () => (await shop.charges()).map(({ status }) => status);
  const pass = (seconds: number) => shop.tester.post('/testing/clock', { advanceSeconds: seconds });
  const warned = async () => {
    const check = '/health-checks/authorizations-expiring';
    const { affectedCount } = (await shop.admin.ask(manage.post(`${check}/run`))).body as {
      affectedCount: number;
    };
    return affectedCount;
  };

  for (const way of Object.keys(ways))
    it(`is sold, and captured later: ${way}`, async () => {
      const { invoiceId, paymentId } = await authorized(way);
      expect(await statusOf(invoiceId)).to.include({
        paymentStatus: 'AwaitingPayment',
        authorizedAmount: 17,
      });
      expect(await statusesOfCharges()).to.deep.equal(['Authorized']);
      expect((await ask('capture', paymentId)).body).to.include({ status: 'Completed', amount: 17 });
      await shop.settle();
      expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'Paid', authorizedAmount: 0 });
      expect(await statusesOfCharges()).to.deep.equal(['Completed']);
      const types = await eventTypesOf(shop, invoiceId);
      expect(types.filter((type) => type === 'SaleConfirmed')).to.have.length(1);
    });

  it('is let go when the customer pays in another way', async () => {
    const { invoiceId, paymentId } = await authorized();
    await sendEvent(shop.tester, {
      type: 'PaymentCompleted',
      data: { transactionId: 'tx-other', invoiceId, amount: 17, currency: 'GBP' },
    });
    await shop.settle();
    expect(await statusOf(invoiceId)).to.include({
      paymentStatus: 'Paid',
      creditDue: 0,
      authorizedAmount: 0,
    });
    expect(await shop.shown(`/payments/${paymentId}`)).to.include({ status: 'Cancelled' });
    expect(await statusesOfCharges()).to.have.members(['Voided', 'Completed']);
  });

  it('is named to staff two days before its time runs out, and can be captured until then', async () => {
    const { paymentId } = await authorized();
    await pass(5 * DAY - 60);
    expect(await warned()).to.equal(0);
    await pass(60);
    expect(await warned()).to.equal(1);
    expect((await ask('capture', paymentId)).body).to.include({ status: 'Completed' });
    await shop.settle();
    expect(await warned()).to.equal(0);
  });

  it('has run out of time when staff capture it after a week', async () => {
    const { invoiceId, paymentId } = await authorized();
    await pass(7 * DAY);
    expect((await ask('capture', paymentId)).body).to.include({ status: 'Cancelled', paymentSuccess: false });
    await shop.settle();
    expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'Unpaid', authorizedAmount: 0 });
    expect(await warned()).to.equal(0);
  });

  it('is looked up once its time is over, in case that the provider has told nobody', async () => {
    const { invoiceId } = await authorized();
    await pass(7 * DAY - 60);
    const job = '/testing/jobs/look-up-authorizations';
    expect((await shop.tester.post(job)).body).to.deep.equal({ lookedUp: 0, failed: 0 });
    await pass(60);
    expect((await shop.tester.post(job)).body).to.deep.equal({ lookedUp: 1, failed: 0 });
    expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'Unpaid', authorizedAmount: 0 });
  });

  it('is captured for what the order costs once it is edited, and for no more', async () => {
    const { invoiceId, paymentId } = await authorized();
    const change = { orderDiscounts: [{ type: 'FixedAmount', value: 5 }], editReason: 'Sorry' };
    expect((await shop.admin.ask(manage.put(`/orders/${invoiceId}/edit`, change))).status).to.equal(200);
    await shop.settle();
    const { balanceDue } = (await statusOf(invoiceId)) as { balanceDue: number };
    expect(balanceDue).to.be.below(17);
    expect((await ask('capture', paymentId, { amount: 17 })).body).to.include({
      code: 'capture-not-possible',
    });
    expect((await ask('capture', paymentId)).body).to.include({ status: 'Completed', amount: balanceDue });
  });

  it('is let go once staff have edited the order down to nothing, which is paid then', async () => {
    const { invoiceId } = await authorized();
    const [{ id: orderId }] = (await shop.shown(`/orders/${invoiceId}/edit`)).orders;
    const change = {
      orderDiscounts: [{ type: 'Free' }],
      orderShippingUpdates: [{ orderId, shippingCost: 0 }],
    };
    expect((await shop.admin.ask(manage.put(`/orders/${invoiceId}/edit`, change))).status).to.equal(200);
    await shop.settle();
    expect(await statusOf(invoiceId)).to.include({
      paymentStatus: 'Paid',
      balanceDue: 0,
      authorizedAmount: 0,
    });
    expect(await statusesOfCharges()).to.deep.equal(['Voided']);
    const types = await eventTypesOf(shop, invoiceId);
    expect(types.filter((type) => type === 'SaleConfirmed')).to.have.length(1);
  });
});

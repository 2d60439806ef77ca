import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { loadConfig, type Config } from '#runtime/config.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const checkout = '/api/shop/checkout';
const management = '/backoffice/api/v1';

/** What a shop in production is paid with under these settings. */
const inProduction = (settings: Record<string, string>): Pick<Config, 'payments'> => ({
  payments: loadConfig({ env: { NODE_ENV: 'production', ...settings } }).payments,
});

describe('paying in production where no method is set up', () => {
  for (const [what, settings] of [
    ['none at all', {}],
    ['only manual payments, which are not for shoppers', { Payments__Providers: 'manual' }],
  ] as const) {
    describe(what, () => {
      let shop: TestShop;
      let shopper: Shopper;
      before(async () => {
        shop = await TestShop.open({ config: inProduction(settings) });
        const mug = await shop.sell('mug', { price: 10, stock: 1 });
        shopper = shop.shopper();
        await shopper.prepare(mug);
      });
      after(() => shop.close());

      it('lists none, and refuses to place an order that nobody could pay', async () => {
        expect((await shopper.get(`${checkout}/payment-methods`)).body).to.deep.equal([]);
        const urls = { returnUrl: '/return', cancelUrl: '/cancel' };
        for (const [path, body] of [
          ['pay', { providerAlias: 'manual', ...urls }],
          ['process-direct-payment', { providerAlias: 'manual' }],
          [
            'process-payment',
            { providerAlias: 'sandbox', invoiceId: newId(), paymentMethodToken: 'tok_success' },
          ],
        ] as const) {
          const answer = await shopper.post(`${checkout}/${path}`, body);
          expect([answer.status, answer.body], path).to.deep.equal([
            400,
            { success: false, code: 'no-payment-method', message: 'No payment method is set up.' },
          ]);
        }
        const events = (await eventsIn(shop)).map(({ type }) => type);
        expect(events).to.not.include('OrderPlacementStarted').and.not.include('StockReserved');
      });

      it('is ready, and tells the backoffice alone', async () => {
        const told = await shop.admin.get('/health/ready');
        expect(told.status).to.equal(200);
        expect(told.body.warnings).to.have.length(1);
        expect(told.body.warnings[0].name).to.equal('payments');
        expect(told.body.warnings[0].reason).to.match(/^No payment method is set up/);
        const outside = { 'X-Forwarded-For': '203.0.113.9' };
        expect((await shopper.get('/health/ready', outside)).body).to.deep.equal({ status: 'ready' });
        const credential = { ...outside, Authorization: 'Bearer somebody-else' };
        const wrong = await shopper.get('/health/ready', credential);
        expect([wrong.status, wrong.body]).to.deep.equal([200, { status: 'ready' }]);
      });
    });
  }
});

describe('a manual payment in production', () => {
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;
  let invoiceId: string;

  before(async () => {
    shop = await TestShop.open({
      config: inProduction({
        Payments__Providers: 'manual,sandbox',
        Payments__Manual__ForShoppers: 'true',
        Payments__Manual__HoldMinutes: '120',
        Payments__AllowSandboxInProduction: 'true',
      }),
    });
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());
  beforeEach(async () => {
    shopper = shop.shopper();
    await shopper.prepare(mug);
    invoiceId = (await shopper.pay()).body.invoiceId;
  });

  const promise = (headers?: Record<string, string>) =>
    shopper.post(
      `${checkout}/process-direct-payment`,
      { providerAlias: 'manual', invoiceId, formData: { reference: ' transfer ' } },
      headers,
    );
  const arrives = (amount: number, headers?: Record<string, string>) =>
    shop.admin.post(
      `${management}/invoices/${invoiceId}/payments/manual`,
      { amount, paymentMethod: 'Bank transfer', description: 'statement 12' },
      headers,
    );
  const order = async () => {
    await shop.settle();
    return (await shop.admin.get(`${management}/orders/${invoiceId}`)).body;
  };
  const eventsOf = async () =>
    (await eventsIn(shop)).filter(({ stream }) => stream === `invoice-${invoiceId}`);

  it('is pending: nothing counts as paid or sold, and nothing is shipped', async () => {
    const { status, body } = await promise();
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      success: true,
      errorMessage: null,
      status: 'Pending',
      paymentId: null,
      transactionId: null,
      redirectUrl: `/checkout/confirmation/${invoiceId}`,
    });
    expect(await order()).to.deep.include({
      paymentStatus: 'AwaitingPayment',
      amountPaid: 0,
      balanceDue: 17,
      payments: [],
      canFulfill: false,
    });
    expect((await order()).orders[0].status).to.equal('Pending');
    expect((await eventsOf()).map(({ type }) => type)).to.deep.equal(['InvoiceCreated', 'PaymentPromised']);
  });

  it('sets the cookies of a payment', async () => {
    const ordered = shopper.basketId;
    await promise();
    expect([...shopper.cookies.keys()]).to.include('shop_confirmation');
    expect(shopper.basketId).to.not.be.oneOf(['', ordered]);
    expect((await shopper.basket()).body.lineItems).to.deep.equal([]);
  });

  it('says in its event until when the goods are held, and sent again holds them no longer', async () => {
    const cookies = new Map(shopper.cookies);
    await promise();
    for (const [name, value] of cookies) shopper.cookies.set(name, value);
    expect((await promise()).body.status).to.equal('Pending');
    const promises = (await eventsOf()).filter(({ type }) => type === 'PaymentPromised');
    expect(promises).to.have.length(1);
    const data = promises[0]?.data as { promisedAt: string; heldUntil: string };
    expect(Date.parse(data.heldUntil) - Date.parse(data.promisedAt)).to.equal(120 * 60_000);
  });

  it('bars no card, whose payment is the sale', async () => {
    const cookies = new Map(shopper.cookies);
    await promise();
    for (const [name, value] of cookies) shopper.cookies.set(name, value);
    expect((await shopper.payWith(invoiceId)).body.status).to.equal('Completed');
    expect(await order()).to.include({ paymentStatus: 'Paid', canFulfill: true });
  });

  it('bars no other order of the basket', async () => {
    const cookies = new Map(shopper.cookies);
    await promise();
    for (const [name, value] of cookies) shopper.cookies.set(name, value);
    await shopper.add(mug);
    const again = await shopper.pay();
    expect(again.status).to.equal(200);
    expect(again.body.invoiceId).to.not.equal(invoiceId);
    expect((await order()).isCancelled).to.be.true;
  });

  it('becomes the sale once the backoffice has the money, and then only', async () => {
    await promise();
    const part = await arrives(7);
    expect([part.status, part.body.amount]).to.deep.equal([200, 7]);
    expect(await order()).to.include({ paymentStatus: 'PartiallyPaid', balanceDue: 10, canFulfill: false });
    const rest = await arrives(10);
    expect(rest.body).to.deep.include({
      parentPaymentId: null,
      paymentType: 'Payment',
      amount: 10,
      paymentSuccess: true,
    });
    expect(rest.body.transactionId).to.equal(`manual-${rest.body.id}`);
    expect(await order()).to.include({ paymentStatus: 'Paid', balanceDue: 0, canFulfill: true });
    expect((await order()).orders[0].status).to.equal('ReadyToFulfill');
    expect((await eventsOf()).filter(({ type }) => type === 'SaleConfirmed')).to.have.length(1);
  });

  it('is recorded once under one key', async () => {
    const key = { 'Idempotency-Key': newId() };
    const [one, other] = [await arrives(7, key), await arrives(7, key)];
    expect(one.body).to.deep.equal(other.body);
    expect(await order()).to.include({ amountPaid: 7 });
  });

  it('is refused where it cannot be right, naming what is wrong', async () => {
    for (const [body, path] of [
      [{ paymentMethod: 'Cash' }, 'amount'],
      [{ amount: 0, paymentMethod: 'Cash' }, 'amount'],
      [{ amount: -1, paymentMethod: 'Cash' }, 'amount'],
      [{ amount: 1.005, paymentMethod: 'Cash' }, 'amount'],
      [{ amount: 1e17, paymentMethod: 'Cash' }, 'amount'],
      [{ amount: 1 }, 'paymentMethod'],
      [{ amount: 1, paymentMethod: 'Cash', description: 'x'.repeat(5001) }, 'description'],
    ] as const) {
      const answer = await shop.admin.post(`${management}/invoices/${invoiceId}/payments/manual`, body);
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(answer.body.errors[0]).to.match(new RegExp(`^${path}: `));
    }
    const to = (id: string) => `${management}/invoices/${id}/payments/manual`;
    const cash = { amount: 1, paymentMethod: 'Cash' };
    expect((await shop.admin.post(to(newId()), cash)).status).to.equal(404);
    expect((await shopper.post(to(invoiceId), cash)).status).to.equal(401);
    await arrives(17);
    expect((await arrives(1)).status).to.equal(400);
    expect(await order()).to.include({ amountPaid: 17 });
  });
});

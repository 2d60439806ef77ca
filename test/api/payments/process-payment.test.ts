import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { countdown } from '#test/support/countdown.ts';
import { faultyEventStore, type FaultyEventStore } from '#test/support/faults.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const checkout = '/api/shop/checkout';

describe('paying an invoice over HTTP', () => {
  let log: FaultyEventStore;
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;
  let invoiceId: string;

  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());
  beforeEach(async () => {
    shopper = shop.shopper();
    await shopper.prepare(mug);
    invoiceId = (await shopper.pay()).body.invoiceId;
  });

  const chargesOf = async (id: string) => (await shop.charges()).filter((charge) => charge.invoiceId === id);
  const eventsOf = async (id: string) =>
    (await eventsIn(shop)).filter(({ stream }) => stream === `invoice-${id}`).map(({ type }) => type);

  it('completes with a good card, closes the basket and shows the way to the confirmation', async () => {
    const { status, body } = await shopper.payWith(invoiceId);
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      success: true,
      errorMessage: null,
      invoiceId,
      status: 'Completed',
      redirectUrl: `/checkout/confirmation/${invoiceId}`,
      confirmationUrl: `/checkout/confirmation/${invoiceId}`,
      paymentMethodSaved: false,
    });
    expect(body.paymentId).to.match(/^[0-9a-f-]{36}$/);
    expect(body.transactionId).to.match(/^sandbox-/);
    expect(await chargesOf(invoiceId)).to.have.length(1);
    expect((await chargesOf(invoiceId))[0]).to.include({ amount: 17 });
    expect((await shopper.basket()).body.lineItems).to.deep.equal([]);
    expect([...shopper.cookies.keys()])
      .to.include('shop_confirmation')
      .and.not.include('shop_basket');
    expect(await eventsOf(invoiceId)).to.deep.equal([
      'InvoiceCreated',
      'PaymentAttempted',
      'PaymentCaptured',
      'OrderStatusChanged',
      'SaleConfirmed',
    ]);
  });

  for (const [token, message] of [
    ['tok_decline', 'The card was declined.'],
    ['tok_insufficient_funds', 'Insufficient funds.'],
  ] as const) {
    it(`says no to ${token}, and the invoice can be paid otherwise`, async () => {
      const { status, body } = await shopper.payWith(invoiceId, token);
      expect(status).to.equal(200);
      expect(body).to.deep.include({
        success: false,
        status: 'Failed',
        errorMessage: message,
        paymentId: null,
        transactionId: null,
        redirectUrl: null,
      });
      expect(await chargesOf(invoiceId)).to.have.length(0);
      expect((await shopper.payWith(invoiceId)).body.status).to.equal('Completed');
    });
  }

  it('answers 503 when the provider cannot be reached, and can be tried again', async () => {
    const { status, body, headers } = await shopper.payWith(invoiceId, 'tok_unavailable');
    expect([status, body.success]).to.deep.equal([503, false]);
    expect(headers.get('Retry-After')).to.not.equal(null);
    expect((await eventsOf(invoiceId)).at(-1)).to.equal('PaymentNotAttempted');
    expect((await shopper.payWith(invoiceId)).body.status).to.equal('Completed');
  });

  it('refuses what is not valid', async () => {
    const unknown = await shopper.payWith(invoiceId, 'tok_from_the_moon');
    expect(unknown.status).to.equal(400);
    expect(unknown.body.message).to.equal('paymentMethodToken: unknown sandbox token');
    const good = { invoiceId, providerAlias: 'sandbox', paymentMethodToken: 'tok_success' };
    for (const wrong of [
      { ...good, invoiceId: 'not-a-guid' },
      { ...good, invoiceId: undefined },
      { ...good, providerAlias: 'nobody' },
      { ...good, providerAlias: 'manual' },
      { ...good, paymentMethodToken: undefined },
    ]) {
      const answer = await shopper.post(`${checkout}/process-payment`, wrong);
      expect([answer.status, answer.body.success], JSON.stringify(wrong)).to.deep.equal([400, false]);
    }
  });

  it('answers 404 to an unknown invoice and 403 to somebody else', async () => {
    expect((await shopper.payWith(newId())).status).to.equal(404);
    expect((await shop.shopper().payWith(invoiceId)).status).to.equal(403);
    const other = shop.shopper();
    await other.add(mug);
    expect((await other.payWith(invoiceId)).status).to.equal(403);
  });

  it('takes one payment of a double click, and tells both of it', async () => {
    const clicks = await Promise.all([shopper.payWith(invoiceId), shopper.payWith(invoiceId)]);
    expect(clicks.map(({ body }) => body.status)).to.deep.equal(['Completed', 'Completed']);
    expect(new Set(clicks.map(({ body }) => body.paymentId)).size).to.equal(1);
    expect(await chargesOf(invoiceId)).to.have.length(1);
  });

  it('lets nothing else happen to the invoice while an outcome is unknown; the answer comes, of one payment', async () => {
    const asked = countdown(1);
    log.runAfter(
      'append',
      (_, events) => events.some(({ type }) => type === 'PaymentAttempted'),
      asked.arrive,
    );
    const slow = shopper.payWith(invoiceId, 'tok_timeout');
    await asked.all;

    const byHand = { providerAlias: 'manual', invoiceId };
    const { [0]: line } = (await shopper.basket()).body.lineItems as { id: string }[];
    await shopper.update(line?.id ?? '', 2);
    for (const answer of [
      await shopper.payWith(invoiceId, 'tok_success'),
      await shopper.post(`${checkout}/process-direct-payment`, byHand),
      await shopper.pay(),
    ]) {
      expect([answer.status, answer.body.success]).to.deep.equal([409, false]);
      expect(Number(answer.headers.get('Retry-After'))).to.be.greaterThan(0);
    }
    const { body } = await slow;
    expect(body).to.include({ success: true, status: 'Completed' });
    expect(await chargesOf(invoiceId)).to.have.length(1);
    expect((await eventsOf(invoiceId)).filter((type) => type === 'PaymentCaptured')).to.have.length(1);
    await shop.settle();
    expect((await shopper.basket()).body.lineItems).to.have.length(1);
    expect((await shopper.basket()).body.itemCount).to.equal(1);
  });

  it('records a payment by hand', async () => {
    const { status, body } = await shopper.post(`${checkout}/process-direct-payment`, {
      providerAlias: 'manual',
      invoiceId,
      formData: { reference: '  cheque 7 ' },
    });
    expect(status).to.equal(200);
    expect(body).to.include({ success: true, status: 'Completed', invoiceId });
    expect(body.transactionId).to.equal(`manual-${body.paymentId}`);
    const captured = (await eventsIn(shop)).find(
      ({ type, stream }) => type === 'PaymentCaptured' && stream === `invoice-${invoiceId}`,
    );
    expect(captured?.data).to.deep.include({ formData: { reference: 'cheque 7' } });
  });

  it('makes the invoice of a basket that is paid by hand', async () => {
    const other = shop.shopper();
    await other.prepare(mug);
    const { status, body } = await other.post(`${checkout}/process-direct-payment`, {
      providerAlias: 'manual',
    });
    expect([status, body.status]).to.deep.equal([200, 'Completed']);
  });

  it('answers 400, 404 and 403 to a payment by hand without basket, of an unknown and of a foreign invoice', async () => {
    const path = `${checkout}/process-direct-payment`;
    const nobody = shop.shopper();
    expect((await nobody.post(path, { providerAlias: 'manual' })).status).to.equal(400);
    expect((await nobody.post(path, { providerAlias: 'manual', invoiceId: newId() })).status).to.equal(404);
    expect((await nobody.post(path, { providerAlias: 'manual', invoiceId })).status).to.equal(403);
    expect((await shopper.post(path, { providerAlias: 'sandbox', invoiceId })).status).to.equal(400);
  });

  it('refuses to be paid twice', async () => {
    const cookies = new Map(shopper.cookies);
    await shopper.payWith(invoiceId);
    for (const [name, value] of cookies) shopper.cookies.set(name, value);
    const path = `${checkout}/process-direct-payment`;
    const twice = await shopper.post(path, { providerAlias: 'manual', invoiceId });
    expect([twice.status, twice.body.success]).to.deep.equal([400, false]);
  });
});

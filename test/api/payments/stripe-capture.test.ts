import { expect } from 'chai';
import { manage, pay, payInvoice, readyToPay, returnFromProvider } from '#test/support/requests.ts';
import { eventTypesOf } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';
import { startStripeDouble, type StripeDouble } from '#test/support/stripe/stripe-double.ts';
import { lastEvent, paidByStripe, stripeKeys, tellShop } from '#test/support/stripe/stripe-shop.ts';

// docs/rules/authorizations.md
describe('money that Stripe only sets aside', () => {
  let double: StripeDouble;
  let shop: TestShop;
  let mug: string;
  beforeEach(async () => {
    double = await startStripeDouble();
    shop = await TestShop.open(paidByStripe({ ...stripeKeys, apiBaseUrl: double.url, capture: 'manual' }));
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  afterEach(async () => {
    await shop.close();
    await double.goAway();
  });

  const ordered = async (changes: object = {}) => {
    const shopper = shop.shopper();
    const { body: begun } = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(pay({ providerAlias: 'stripe', ...changes }))
      .then(200);
    const { invoiceId, sessionId, clientSecret } = begun as Record<string, string>;
    return { shopper, invoiceId: String(invoiceId), sessionId: String(sessionId), clientSecret };
  };
  const card = (invoiceId: string, paymentMethodToken = 'pm_card_visa') =>
    payInvoice(invoiceId, { providerAlias: 'stripe', paymentMethodToken });
  /** An order of 17.00 whose money is set aside. */
  const authorized = async () => {
    const { shopper, invoiceId } = await ordered();
    const { body } = await shop
      .given()
      .by(shopper)
      .when(card(invoiceId))
      .then(200, { success: true, status: 'Authorized' });
    await shop.settle();
    return { shopper, invoiceId, paymentId: String(body.paymentId), intentId: String(body.transactionId) };
  };
  const shown = (path: string) => shop.shown(path) as Promise<Record<string, unknown>>;
  const order = (invoiceId: string) => shown(`/orders/${invoiceId}`);
  const statusOf = async (invoiceId: string) => {
    const { paymentStatus, amountPaid, balanceDue, authorizedAmount } = await shown(
      `/invoices/${invoiceId}/payment-status`,
    );
    return { paymentStatus, amountPaid, balanceDue, authorizedAmount };
  };
  const waiting = { paymentStatus: 'AwaitingPayment', amountPaid: 0, balanceDue: 17, authorizedAmount: 17 };
  const paid = { paymentStatus: 'Paid', amountPaid: 17, balanceDue: 0, authorizedAmount: 0 };
  const unpaid = { paymentStatus: 'Unpaid', amountPaid: 0, balanceDue: 17, authorizedAmount: 0 };
  const ask = async (verb: string, paymentId: string, body: object = {}) => {
    const answer = await shop.admin.ask(manage.post(`/payments/${paymentId}/${verb}`, body));
    await shop.settle();
    return answer;
  };
  const told = async (type: string) => {
    expect((await tellShop(shop, lastEvent(double, type))).status, type).to.equal(200);
    await shop.settle();
  };
  const notesOf = async (invoiceId: string) =>
    ((await order(invoiceId))['notes'] as { text: string }[]).map(({ text }) => text);
  const countOf = async (invoiceId: string, type: string) =>
    (await eventTypesOf(shop, invoiceId)).filter((one) => one === type).length;

  it('makes the sale, and shows until when it can be captured', async () => {
    const { invoiceId, paymentId } = await authorized();
    expect(await statusOf(invoiceId)).to.deep.equal(waiting);
    expect(await shown(`/invoices/${invoiceId}/payment-status`)).to.include({
      authorizedUntil: '2100-01-01T00:00:00.000Z',
    });
    expect(await shown(`/payments/${paymentId}`)).to.include({ status: 'Authorized', paymentSuccess: false });
    expect(await countOf(invoiceId, 'SaleConfirmed')).to.equal(1);
    const [first] = (await order(invoiceId))['orders'] as { status: string }[];
    expect(first?.status).to.equal('ReadyToFulfill');
    expect(double.taken()).to.equal(0);
  });

  it('is the same payment for a shopper who presses twice', async () => {
    const { shopper, invoiceId, paymentId } = await authorized();
    expect((await shopper.ask(card(invoiceId))).body).to.include({ status: 'Authorized', paymentId });
    expect(await countOf(invoiceId, 'PaymentAuthorized')).to.equal(1);
  });

  it('is captured by staff, once', async () => {
    const { invoiceId, paymentId } = await authorized();
    expect((await ask('capture', paymentId)).body).to.include({
      status: 'Completed',
      amount: 17,
      id: paymentId,
    });
    expect(await statusOf(invoiceId)).to.deep.equal(paid);
    expect((await ask('capture', paymentId)).body).to.include({ code: 'capture-not-possible' });
    await told('payment_intent.succeeded');
    await told('charge.captured');
    expect(await statusOf(invoiceId)).to.deep.equal(paid);
    expect(await countOf(invoiceId, 'SaleConfirmed')).to.equal(1);
    expect(double.taken()).to.equal(1700);
  });

  it('is captured in part: the rest is let go, and is due', async () => {
    const { invoiceId, paymentId } = await authorized();
    expect((await ask('capture', paymentId, { amount: 17.01 })).status).to.equal(400);
    expect((await ask('capture', paymentId, { amount: 10.001 })).status).to.equal(400);
    await ask('capture', paymentId, { amount: 10 });
    const part = { paymentStatus: 'PartiallyPaid', amountPaid: 10, balanceDue: 7, authorizedAmount: 0 };
    expect(await statusOf(invoiceId)).to.deep.equal(part);
    expect(double.taken()).to.equal(1000);
    const refund = manage.post(`/payments/${paymentId}/refund`, { reason: 'Damaged' });
    expect((await shop.admin.ask(refund)).body).to.include({ amount: -10 });
    expect(double.taken()).to.equal(0);
  });

  it('is captured once where the answer is lost', async () => {
    const { invoiceId, paymentId, intentId } = await authorized();
    double.loseResponse(`/v1/payment_intents/${intentId}/capture`);
    // The callback comes before the shop has asked again by itself.
    const capture = manage.post(`/payments/${paymentId}/capture`, {});
    expect((await shop.admin.ask(capture)).body).to.include({ paymentSuccess: false, status: 'Pending' });
    expect((await shop.admin.ask(capture)).status).to.equal(409);
    await told('payment_intent.succeeded');
    expect(await statusOf(invoiceId)).to.deep.equal(paid);
    expect(await countOf(invoiceId, 'PaymentCaptured')).to.equal(1);
    expect(double.taken()).to.equal(1700);
  });

  it('is voided by staff', async () => {
    const { invoiceId, paymentId } = await authorized();
    expect((await ask('void', paymentId)).body).to.include({ status: 'Cancelled' });
    expect(await statusOf(invoiceId)).to.deep.equal(unpaid);
    await told('payment_intent.canceled');
    expect(await countOf(invoiceId, 'AuthorizationReleased')).to.equal(1);
    expect((await ask('capture', paymentId)).status).to.equal(400);
  });

  it('is voided with the order', async () => {
    const { invoiceId, intentId } = await authorized();
    await shop.admin.ask(manage.post(`/orders/${invoiceId}/cancel`, { reason: 'Changed their mind' }));
    await shop.settle();
    expect(await countOf(invoiceId, 'AuthorizationReleased')).to.equal(1);
    expect(lastEvent(double, 'payment_intent.canceled')['data']).to.have.nested.property(
      'object.id',
      intentId,
    );
    expect(double.taken()).to.equal(0);
  });

  it('expires: staff are told, and the invoice is unpaid', async () => {
    const { invoiceId, intentId } = await authorized();
    double.expire(intentId);
    await told('charge.expired');
    await told('payment_intent.canceled');
    expect(await statusOf(invoiceId)).to.deep.equal(unpaid);
    expect((await notesOf(invoiceId)).filter((text) => text.includes('has expired'))).to.have.length(1);
    expect(await countOf(invoiceId, 'AuthorizationReleased')).to.equal(1);
  });

  it('is found expired when staff capture it before Stripe has told of it', async () => {
    const { invoiceId, paymentId, intentId } = await authorized();
    double.expire(intentId);
    expect((await ask('capture', paymentId)).body).to.include({ status: 'Cancelled' });
    expect(await statusOf(invoiceId)).to.deep.equal(unpaid);
  });

  it('is recorded though the browser never comes back', async () => {
    const { invoiceId, sessionId, clientSecret = '' } = await ordered();
    await double.confirmInBrowser(sessionId, {
      client_secret: clientSecret,
      payment_method: 'pm_card_visa',
      return_url: 'https://shop.example/',
    });
    await told('payment_intent.amount_capturable_updated');
    expect(await statusOf(invoiceId)).to.deep.equal(waiting);
  });

  it('is recorded when the payer comes back from the page of Stripe', async () => {
    const { shopper, invoiceId, sessionId } = await ordered({ methodAlias: 'checkout' });
    double.payIn(sessionId);
    const back = returnFromProvider({ provider: 'stripe', sessionId });
    expect((await shopper.ask(back)).body).to.include({ success: true, status: 'Authorized' });
    await told('payment_intent.amount_capturable_updated');
    await shop.settle();
    expect(await statusOf(invoiceId)).to.deep.equal(waiting);
    expect(await countOf(invoiceId, 'PaymentAuthorized')).to.equal(1);
  });

  it('is asked for with the method that says so, and not without it', async () => {
    await authorized();
    const asked = double.asked.filter(({ path }) => path === '/v1/payment_intents');
    expect(asked.map(({ form }) => form['capture_method'])).to.deep.equal(['manual', 'manual']);
    const plain = await TestShop.open(paidByStripe({ ...stripeKeys, apiBaseUrl: double.url }));
    const tea = await plain.sell('tea', { price: 10, stock: 10 });
    await plain
      .given(...readyToPay(tea))
      .when(pay({ providerAlias: 'stripe' }))
      .then(200);
    expect(double.asked.at(-1)?.form).to.not.have.property('capture_method');
    await plain.close();
  });
});

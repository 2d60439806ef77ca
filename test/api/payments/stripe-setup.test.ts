import { expect } from 'chai';
import { openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';
import { get, inBrowser, pay, post } from '#test/support/requests.ts';
import { events, header, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { startStripeDouble, type StripeDouble } from '#test/support/stripe/stripe-double.ts';
import { lastEvent, paidByStripe, stripeKeys, tellShop } from '#test/support/stripe/stripe-shop.ts';

const methods = '/api/shop/storefront/payment-methods';
const CARD = 'pm_card_authenticationRequired';

// docs/rules/saved-methods.md#the-payers-bank
describe('a card that is saved at Stripe, whose bank wants to see the payer', () => {
  let double: StripeDouble;
  let opened: MemberShop;
  let mug: string;
  let people = 0;
  before(async () => {
    double = await startStripeDouble();
    opened = await openMemberShop(paidByStripe({ ...stripeKeys, apiBaseUrl: double.url }));
    mug = await opened.shop.sell('mug', { price: 10, stock: 1000 });
  });
  after(async () => {
    await opened.close();
    await double.goAway();
  });

  const by = (customer: Customer) => opened.shop.given().by(customer);
  const member = async () => {
    const customer = opened.customer();
    await customer.register(`ada${++people}@example.com`, mug);
    await customer.initialize();
    return customer;
  };
  const begun = async () => {
    const ada = await member();
    const pages = { providerAlias: 'stripe', returnUrl: '/account?saved', cancelUrl: '/account?no' };
    const { body } = await by(ada)
      .when(post(`${methods}/setup`, pages))
      .then(200, { success: true });
    return { ada, setUp: body, sessionId: String(body.setupSessionId) };
  };
  const confirm = (setupSessionId: string, changes: object = {}) =>
    post(`${methods}/confirm`, { providerAlias: 'stripe', setupSessionId, ...changes });
  const atBank = async () => {
    const known = await begun();
    const { body } = await by(known.ada)
      .when(confirm(known.sessionId, { paymentMethodToken: CARD }))
      .then(200, { success: false, status: 'RequiresAction', clientSecret: null })
      .and(noNewEvents());
    expect(body.redirectUrl).to.include('https://hooks.stripe.com/');
    return known;
  };
  const backFrom = (sessionId: string, how: 'succeeded' | 'failed') => {
    const { pathname, search } = new URL(double.authenticate(sessionId, how));
    return inBrowser(get(pathname + search));
  };
  const listed = async (customer: Customer) =>
    (await by(customer).when(get(methods)).then(200)).body as { id: string; last4: string }[];

  it('is told what the script needs', async () => {
    const { setUp, sessionId } = await begun();
    const { apiVersion: _, ...config } = setUp.sdkConfig;
    expect(config).to.deep.equal({
      publishableKey: 'pk_test_1',
      mode: 'setup',
      returnUrl: `${opened.shop.base}${methods}/return?provider=stripe`,
    });
    expect(setUp.clientSecret).to.include(`${sessionId}_secret_`);
  });

  it('goes to the bank and back, and is saved, though the browser has lost its cookies', async () => {
    const { ada, sessionId } = await atBank();
    await opened.shop
      .given()
      .when(backFrom(sessionId, 'succeeded'))
      .then(303)
      .and(header('Location', `/account?saved=&setupSessionId=${sessionId}&status=Saved`))
      .and(events('PaymentMethodSaved'));
    expect(await listed(ada)).to.have.length(1);
    // The page may ask as well.
    await by(ada).when(confirm(sessionId)).then(200, { success: true, last4: '4242' }).and(noNewEvents());
  });

  it('is not saved where the bank says no', async () => {
    const { ada, sessionId } = await atBank();
    await by(ada)
      .when(backFrom(sessionId, 'failed'))
      .then(303)
      .and(header('Location', `/account?no=&setupSessionId=${sessionId}&status=Failed`))
      .and(noNewEvents());
    expect(await listed(ada)).to.deep.equal([]);
  });

  it('is saved by the page, where the payer comes back and the shop was not there', async () => {
    const { ada, sessionId } = await atBank();
    backFrom(sessionId, 'succeeded');
    await by(ada).when(confirm(sessionId)).then(200, { success: true });
    expect(await listed(ada)).to.have.length(1);
  });

  it('is saved after the script has confirmed it in the browser', async () => {
    const { ada, setUp, sessionId } = await begun();
    const fields = { client_secret: setUp.clientSecret, payment_method: 'pm_card_visa' };
    await double.confirmInBrowser(sessionId, { ...fields, return_url: setUp.sdkConfig.returnUrl });
    await by(ada).when(confirm(sessionId)).then(200, { success: true });
  });

  it('is saved once, though the browser never comes back, and not again after it was removed', async () => {
    const { ada, sessionId } = await atBank();
    backFrom(sessionId, 'succeeded');
    const told = lastEvent(double, 'setup_intent.succeeded');
    expect((await tellShop(opened.shop, told)).body).to.include({ eventType: 'SetupCompleted' });
    const [saved, ...others] = await listed(ada);
    expect(others).to.deep.equal([]);
    await tellShop(opened.shop, { ...told, id: 'evt_once_more' });
    expect(await listed(ada)).to.have.length(1);
    await by(ada)
      .when({ method: 'DELETE', path: `${methods}/${saved?.id ?? ''}` })
      .then(200);
    await opened.shop.settle();
    expect((await tellShop(opened.shop, { ...told, id: 'evt_late' })).status).to.equal(200);
    expect(await listed(ada)).to.deep.equal([]);
  });

  it('is saved with the consent that was given, though a callback tells of it before its answer comes', async () => {
    const { ada, sessionId } = await begun();
    double.loseResponse(`/v1/setup_intents/${sessionId}/confirm`);
    const wish = { paymentMethodToken: 'pm_card_visa', setAsDefault: true };
    await by(ada).when(confirm(sessionId, wish)).then(503).and(noNewEvents());
    await tellShop(opened.shop, lastEvent(double, 'setup_intent.succeeded'));
    const [saved] = await listed(ada);
    const all = await eventsIn(opened.shop);
    const made = all.findLast(({ type }) => type === 'PaymentMethodSaved')?.data as Record<string, unknown>;
    expect(made['methodId']).to.equal(saved?.id);
    expect(made['consentIpAddress']).to.match(/127\.0\.0\.1|::1/);
  });

  it('of which a callback tells, and that nobody has begun to save, is passed over', async () => {
    const event = { id: 'evt_other', object: 'event', type: 'setup_intent.succeeded' };
    const { status } = await tellShop(opened.shop, { ...event, data: { object: { id: 'seti_unknown' } } });
    expect(status).to.equal(200);
  });

  it('that nobody has begun to save is 404', async () => {
    await opened.shop
      .given()
      .when(get(`${methods}/return?provider=stripe&setup_intent=seti_unknown`))
      .then(404)
      .and(refusedFor('payment-not-found'));
  });

  it('goes to the bank again at the checkout, where the payer is there', async () => {
    const { ada, sessionId } = await atBank();
    await by(ada).when(backFrom(sessionId, 'succeeded')).then(303);
    const [saved] = await listed(ada);
    const { invoiceId } = (
      await by(ada)
        .when(pay({ providerAlias: 'stripe' }))
        .then(200)
    ).body;
    const { body: sent } = await by(ada)
      .when(
        post('/api/shop/checkout/process-saved-payment', {
          invoiceId,
          savedPaymentMethodId: saved?.id,
          returnUrl: '/paid',
        }),
      )
      .then(200, { status: 'RequiresAction' });
    await by(ada)
      .when(backFrom(String(sent.transactionId), 'succeeded'))
      .then(303)
      .and(header('Location', `/paid?invoiceId=${String(invoiceId)}&status=Completed`));
  });
});

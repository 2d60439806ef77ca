import { expect } from 'chai';
import type { ApiResponse, Request } from '#test/support/browser.ts';
import { openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';
import { get, keyed, manage, pay, payInvoice, post } from '#test/support/requests.ts';
import { body, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn, eventTypesOf } from '#test/support/shop-log.ts';

const methods = '/api/shop/storefront/payment-methods';
const paySaved = (savedPaymentMethodId: string, changes: object = {}): Request =>
  post('/api/shop/checkout/process-saved-payment', { savedPaymentMethodId, ...changes });

const NOBODYS = '00000000-0000-4000-8000-000000000000';

// docs/rules/saved-methods.md#paying
describe('Paying with a saved method', () => {
  let opened: MemberShop;
  let mugId: string;
  let people = 0;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10, stock: 1000 });
  });
  after(() => opened.close());

  let email: string;
  let ada: Customer;
  const newcomer = async (address: string): Promise<Customer> => {
    const customer = opened.customer();
    await customer.register(address, mugId);
    await customer.initialize();
    return customer;
  };
  beforeEach(async () => {
    email = `ada${++people}@example.com`;
    ada = await newcomer(email);
  });
  const by = (customer: Customer) => opened.shop.given().by(customer);
  const save = async (customer: Customer, paymentMethodToken = 'tok_success'): Promise<string> => {
    const pages = { providerAlias: 'sandbox', returnUrl: '/account', cancelUrl: '/account' };
    const { setupSessionId } = (await customer.ask(post(`${methods}/setup`, pages))).body;
    const given = { providerAlias: 'sandbox', setupSessionId, paymentMethodToken };
    return (await customer.ask(post(`${methods}/confirm`, given))).body.id as string;
  };
  const ordered = async (customer: Customer): Promise<string> =>
    (await by(customer).when(pay()).then(200)).body.invoiceId as string;
  const listed = async (customer: Customer) =>
    (await customer.ask(get(methods))).body as ApiResponse['body'][];

  it('charges it and makes the sale, as with a card', async () => {
    const [method, invoiceId] = [await save(ada), await ordered(ada)];
    await by(ada)
      .when(paySaved(method, { invoiceId }))
      .then(200, {
        success: true,
        status: 'Completed',
        invoiceId,
        paymentMethodSaved: false,
        redirectUrl: `/checkout/confirmation/${invoiceId}`,
      });
    expect((await opened.shop.charges(invoiceId)).map(({ amount }) => amount)).to.deep.equal([17]);
    expect([...ada.cookies.keys()]).to.include('shop_confirmation');
    expect(await eventTypesOf(opened.shop, invoiceId)).to.deep.equal([
      'InvoiceCreated',
      'PaymentAttempted',
      'PaymentCaptured',
      'OrderStatusChanged',
      'SaleConfirmed',
    ]);
    const used = (await eventsIn(opened.shop)).filter(({ type }) => type === 'PaymentMethodUsed');
    expect(used.map(({ data }) => data as object)).to.deep.include({
      ...(used.at(-1)?.data as object),
      methodId: method,
      invoiceId,
    });
  });

  it('makes the invoice of the basket where none is named', async () => {
    const method = await save(ada);
    const { invoiceId } = (await by(ada).when(paySaved(method)).then(200, { status: 'Completed' })).body;
    expect(await opened.shop.charges(invoiceId)).to.have.length(1);
  });

  describe('where terms have to be accepted', () => {
    const require = (requireTermsAcceptance: boolean) =>
      opened.shop.admin.ask(manage.put('/settings', { requireTermsAcceptance }));
    beforeEach(() => require(true));
    afterEach(() => require(false));

    it('takes their acceptance with the order that it places', async () => {
      const method = await save(ada);
      await by(ada).when(paySaved(method)).then(400).and(refusedFor('terms-not-accepted')).and(noNewEvents());
      await by(ada)
        .when(paySaved(method, { acceptTerms: true }))
        .then(200, { status: 'Completed' });
    });
  });

  it('is for members: 401 for anybody else', async () => {
    const [method, invoiceId] = [await save(ada), await ordered(ada)];
    await opened.shop
      .given()
      .when(paySaved(method, { invoiceId }))
      .then(401, { success: false })
      .and(refusedFor('unauthenticated'))
      .and(noNewEvents());
  });

  it("is 404 for a method that is not there, and 403 for somebody else's method or invoice", async () => {
    const bob = await newcomer(`bob${people}@example.com`);
    const [adas, bobs] = [await save(ada), await save(bob)];
    const [adasInvoice, bobsInvoice] = [await ordered(ada), await ordered(bob)];
    for (const [request, status, code] of [
      [paySaved(NOBODYS, { invoiceId: adasInvoice }), 404, 'payment-method-not-found'],
      [paySaved(adas, { invoiceId: NOBODYS }), 404, 'invoice-not-found'],
      [paySaved(bobs, { invoiceId: adasInvoice }), 403, 'not-yours'],
      [paySaved(adas, { invoiceId: bobsInvoice }), 403, 'not-yours'],
      [paySaved('no guid', { invoiceId: adasInvoice }), 400, 'invalid-request'],
      [paySaved(adas, { invoiceId: adasInvoice, providerAlias: 'manual' }), 400, 'invalid-request'],
    ] as const)
      await by(ada).when(request).then(status, { success: false }).and(refusedFor(code)).and(noNewEvents());
    expect(await opened.shop.charges(adasInvoice)).to.deep.equal([]);
  });

  it('is 404 once the method was removed meanwhile', async () => {
    const [method, invoiceId] = [await save(ada), await ordered(ada)];
    await ada.ask({ method: 'DELETE', path: `${methods}/${method}` });
    await by(ada)
      .when(paySaved(method, { invoiceId }))
      .then(404)
      .and(refusedFor('payment-method-not-found'))
      .and(noNewEvents());
  });

  it('is refused once the method has expired', async () => {
    const [method, invoiceId] = [await save(ada, 'tok_saved_expired'), await ordered(ada)];
    await by(ada)
      .when(paySaved(method, { invoiceId }))
      .then(400, { message: 'This payment method has expired. Choose another one.' })
      .and(refusedFor('payment-method-expired'))
      .and(noNewEvents());
  });

  it('is refused while the provider saves nothing; the method stays, and is used again afterwards', async () => {
    const [method, invoiceId] = [await save(ada), await ordered(ada)];
    const staff = opened.shop.given().by(opened.shop.admin);
    const vaulting = (vaultingEnabled: boolean) =>
      staff
        .when(manage.put('/payment-providers/sandbox', { vaultingEnabled }))
        .then(200, { vaultingEnabled });
    await vaulting(false);
    try {
      await by(ada)
        .when(paySaved(method, { invoiceId }))
        .then(400, { message: 'Saved payment methods of this provider cannot be used at the moment.' })
        .and(refusedFor('invalid-request'))
        .and(noNewEvents());
      await by(ada)
        .when(get(`${methods}/providers`))
        .then(200)
        .and(exactly([]));
      const pages = { providerAlias: 'sandbox', returnUrl: '/account', cancelUrl: '/account' };
      await by(ada)
        .when(post(`${methods}/setup`, pages))
        .then(400)
        .and(refusedFor('invalid-request'));
      expect((await listed(ada)).map(({ id }) => id as string)).to.deep.equal([method]);
      await by(ada)
        .when(payInvoice(invoiceId, { savePaymentMethod: true }))
        .then(200, { status: 'Completed', paymentMethodSaved: false });
    } finally {
      await vaulting(true);
    }
    await ada.prepare(mugId, 1, email);
    await by(ada).when(paySaved(method)).then(200, { status: 'Completed' });
  });

  it('is declined as its token would be; another try is another attempt', async () => {
    const [method, invoiceId] = [await save(ada, 'tok_decline'), await ordered(ada)];
    for (const _ of [1, 2])
      await by(ada)
        .when(paySaved(method, { invoiceId }))
        .then(200, { success: false, status: 'Failed', errorMessage: 'The card was declined.' });
    const attempts = (await eventTypesOf(opened.shop, invoiceId)).filter(
      (type) => type === 'PaymentAttempted',
    );
    expect(attempts).to.have.length(2);
    const good = await save(ada);
    await by(ada).when(paySaved(good, { invoiceId })).then(200, { status: 'Completed' });
  });

  it('charges once for a double click, a repeat under a key and a repeat without one', async () => {
    const [method, invoiceId] = [await save(ada), await ordered(ada)];
    const answers = await Promise.all([1, 2, 3].map(() => ada.ask(paySaved(method, { invoiceId }))));
    const again = await ada.ask(keyed('k', paySaved(method, { invoiceId })));
    const inBody = await ada.ask(paySaved(method, { invoiceId, idempotencyKey: 'k2' }));
    for (const { status, body: answer } of [...answers, again, inBody]) {
      expect(status).to.equal(200);
      expect(answer).to.include({ status: 'Completed', paymentId: answers[0]?.body.paymentId });
    }
    expect(await opened.shop.charges(invoiceId)).to.have.length(1);
    const other = await save(ada);
    await by(ada)
      .when(keyed('k', paySaved(other, { invoiceId })))
      .then(409)
      .and(refusedFor('idempotency-key-reused'));
    await by(ada).when(paySaved(other, { invoiceId })).then(400).and(refusedFor('invoice-already-paid'));
  });

  it('saves the card of a purchase for who is signed in, once', async () => {
    const invoiceId = await ordered(ada);
    const wish = { savePaymentMethod: true, setAsDefaultMethod: true };
    await by(ada)
      .when(payInvoice(invoiceId, wish))
      .then(200, { status: 'Completed', paymentMethodSaved: true });
    await by(ada)
      .when(payInvoice(invoiceId, wish))
      .then(200, { status: 'Completed', paymentMethodSaved: true })
      .and(noNewEvents());
    const [saved, ...others] = await listed(ada);
    expect(others).to.deep.equal([]);
    expect(saved).to.include({ displayLabel: 'Visa ending in 4242', isDefault: true });
    await ada.prepare(mugId, 1, email);
    await by(ada).when(paySaved(saved?.id)).then(200, { status: 'Completed' });
  });

  it('saves nothing for guests, or when the card is declined', async () => {
    const guest = opened.customer();
    await guest.prepare(mugId, 1, `guest${people}@example.com`);
    const { invoiceId } = (await guest.pay()).body;
    await by(guest)
      .when(payInvoice(invoiceId, { savePaymentMethod: true }))
      .then(200, { status: 'Completed', paymentMethodSaved: false });
    const adas = await ordered(ada);
    await by(ada)
      .when(payInvoice(adas, { savePaymentMethod: true, paymentMethodToken: 'tok_decline' }))
      .then(200, { status: 'Failed', paymentMethodSaved: false });
    expect(await listed(ada)).to.deep.equal([]);
  });

  it('keeps what a method is at its provider from whoever reads the log', async () => {
    const [method, invoiceId] = [await save(ada), await ordered(ada)];
    await ada.ask(paySaved(method, { invoiceId }));
    const attempts = (await opened.shop.shop.runtime.store.readAll(0)).filter(
      ({ type, stream }) => type === 'PaymentAttempted' && stream === `invoice-${invoiceId}`,
    );
    expect(attempts).to.have.length(1);
    expect(attempts[0]?.data).to.not.include('sandbox-method-');
    await opened.shop
      .given()
      .by(opened.shop.admin)
      .when(manage.get(`/orders/${invoiceId}`))
      .then(200)
      .and(body((order) => expect(JSON.stringify(order)).to.not.include('sandbox-method-')));
  });
});

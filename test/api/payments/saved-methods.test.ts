import { expect } from 'chai';
import { methodIcons } from '#adapters/payment-providers/method-icons.ts';
import { customerNamed } from '#test/support/account-customers.ts';
import type { ApiResponse, Request } from '#test/support/browser.ts';
import { openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';
import { get, keyed, manage, post } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';

const base = '/api/shop/storefront/payment-methods';
const list = () => get(base);
const setup = (changes: object = {}) =>
  post(`${base}/setup`, {
    providerAlias: 'sandbox',
    returnUrl: '/account',
    cancelUrl: '/account',
    ...changes,
  });
const confirm = (setupSessionId: string, changes: object = {}) =>
  post(`${base}/confirm`, {
    providerAlias: 'sandbox',
    setupSessionId,
    paymentMethodToken: 'tok_success',
    ...changes,
  });
const makeDefault = (id: string) => post(`${base}/${id}/set-default`);
const remove = (id: string): Request => ({ method: 'DELETE', path: `${base}/${id}` });

const NOBODYS = '00000000-0000-4000-8000-000000000000';

// docs/rules/saved-methods.md
describe('Saved payment methods', () => {
  let opened: MemberShop;
  let mugId: string;
  let people = 0;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10 });
  });
  after(() => opened.close());

  let email: string;
  let ada: Customer;
  const newcomer = async (address: string, isLinked = true): Promise<Customer> => {
    const customer = opened.customer();
    await customer[isLinked ? 'register' : 'enter'](address, mugId);
    return customer;
  };
  beforeEach(async () => {
    email = `ada${++people}@example.com`;
    ada = await newcomer(email);
  });
  const by = (customer: Customer) => opened.shop.given().by(customer);
  const save = async (customer: Customer, changes: object = {}): Promise<ApiResponse['body']> => {
    const { setupSessionId } = (await by(customer).when(setup()).then(200, { success: true })).body;
    return (await by(customer).when(confirm(setupSessionId, changes)).then(200, { success: true })).body;
  };
  const listed = async (customer: Customer) =>
    ((await customer.ask(list())).body as ApiResponse['body'][]).map(({ id }) => id as string);

  for (const [what, request] of [
    ['listing them', list()],
    ['their providers', get(`${base}/providers`)],
    ['setting one up', setup()],
    ['confirming one', confirm('any')],
    ['choosing a default', makeDefault(NOBODYS)],
    ['removing one', remove(NOBODYS)],
  ] as const)
    it(`need a customer who is signed in: ${what} is 401 for a guest`, async () => {
      await opened.shop
        .given()
        .when(request)
        .then(401, { success: false, message: 'Sign in first.', error: 'Sign in first.' })
        .and(refusedFor('unauthenticated'))
        .and(noNewEvents());
    });

  it('need one who is known to be the customer: an account that is not linked is 401', async () => {
    const guest = opened.customer();
    const known = `known${people}@example.com`;
    await guest.prepare(mugId, 1, known);
    await guest.payWith((await guest.pay()).body.invoiceId);
    const claims = await newcomer(known, false);
    await by(claims)
      .when(list())
      .then(401)
      .and(body(({ error }) => expect(error).to.match(/Confirm your/)));
  });

  it('are set up at a provider and then saved; the first one is the default', async () => {
    const { body: started } = await by(ada)
      .when(setup({ methodAlias: 'card' }))
      .then(200, { success: true, redirectUrl: null, sdkConfig: {}, errorMessage: null })
      .and(noNewEvents());
    expect(started.setupSessionId).to.match(/^sandbox-setup-/);
    expect(started.clientSecret).to.be.a('string');
    expect(started.providerCustomerId).to.match(/^sandbox-customer-/);
    const { body: saved } = await by(ada)
      .when(confirm(started.setupSessionId, { setAsDefault: false }))
      .then(200, {
        success: true,
        providerAlias: 'sandbox',
        methodType: 'Card',
        cardBrand: 'visa',
        last4: '4242',
        isExpired: false,
        displayLabel: 'Visa ending in 4242',
        isDefault: true,
      })
      .and(events('PaymentMethodSaved'));
    const { success: _, message: __, paymentMethod, ...method } = saved;
    expect(paymentMethod).to.deep.equal(method);
    expect(method.expiryFormatted).to.match(/^12\/\d\d$/);
    expect((await ada.ask(list())).body).to.deep.equal([method]);
  });

  it('are one for a confirmation that is sent twice, with a key and without', async () => {
    const { setupSessionId } = (await by(ada).when(setup()).then(200)).body;
    const answers = await Promise.all([1, 2].map(() => ada.ask(confirm(setupSessionId))));
    const again = await ada.ask(keyed('k1', confirm(setupSessionId)));
    await by(ada)
      .when(keyed('k1', confirm(setupSessionId)))
      .then(200)
      .and(noNewEvents());
    const ids = [...answers, again].map(({ body: { id } }) => id as string);
    expect(new Set(ids).size).to.equal(1);
    expect(await listed(ada)).to.deep.equal([ids[0]]);
  });

  it('stand with the default first, then the newest', async () => {
    const first = (await save(ada)).id as string;
    const second = (await save(ada)).id as string;
    const third = (await save(ada)).id as string;
    expect(await listed(ada)).to.deep.equal([first, third, second]);
    await by(ada)
      .when(makeDefault(second))
      .then(200, { success: true })
      .and(events('DefaultPaymentMethodChanged'));
    expect(await listed(ada)).to.deep.equal([second, third, first]);
    await by(ada).when(makeDefault(second)).then(200, { success: true }).and(noNewEvents());
    const fourth = (await save(ada, { setAsDefault: true })).id as string;
    expect(await listed(ada)).to.deep.equal([fourth, third, second, first]);
    const defaults = ((await ada.ask(list())).body as ApiResponse['body'][]).filter(
      ({ isDefault }) => isDefault,
    );
    expect(defaults.map(({ id }) => id as string)).to.deep.equal([fourth]);
  });

  it('go from here and from their provider; the newest of the others becomes the default', async () => {
    const [first, second, third] = [
      (await save(ada)).id as string,
      (await save(ada)).id as string,
      (await save(ada)).id as string,
    ];
    await by(ada)
      .when(remove(first))
      .then(200, { success: true, message: 'The payment method has been removed.' })
      .and(events('PaymentMethodRemoved', 'PaymentMethodsForgotten'));
    expect(await listed(ada)).to.deep.equal([third, second]);
    expect(((await ada.ask(list())).body as ApiResponse['body'][])[0]?.isDefault).to.equal(true);
    await by(ada).when(remove(first)).then(404).and(refusedFor('payment-method-not-found'));
    const kept = await opened.shop.shop.runtime.stateStore.find('sandbox_methods', { limit: 1000 });
    const saved = (await eventsIn(opened.shop)).filter(({ type }) => type === 'PaymentMethodSaved');
    const providerIds = saved
      .map(({ data }) => data as { methodId: string; providerMethodId: string })
      .filter(({ methodId }) => methodId === first)
      .map(({ providerMethodId }) => providerMethodId);
    expect(kept.map(({ _id }) => _id)).to.not.include.members(providerIds);
  });

  it("are nobody else's: another's is 404 to whoever asks, like one that is not there", async () => {
    const { id } = await save(ada);
    const bob = await newcomer(`bob${people}@example.com`);
    for (const request of [makeDefault(id), remove(id), makeDefault(NOBODYS), remove(NOBODYS)])
      await by(bob)
        .when(request)
        .then(404, { success: false, message: 'There is no such saved payment method.' })
        .and(refusedFor('payment-method-not-found'))
        .and(noNewEvents());
    expect(await listed(bob)).to.deep.equal([]);
    expect(await listed(ada)).to.deep.equal([id]);
  });

  it("are saved for the provider's customer of the set-up, whatever the browser names", async () => {
    const saved = await save(ada, { providerCustomerId: 'sandbox-customer-somebody' });
    expect(await listed(ada)).to.deep.equal([saved.id]);
  });

  it("are not saved from another's session, an unknown one or one of yesterday", async () => {
    const { setupSessionId } = (await by(ada).when(setup()).then(200)).body;
    const bob = await newcomer(`bob${people}@example.com`);
    const refused = {
      success: false,
      message: 'setupSessionId: must be a session that you have begun.',
    };
    await by(bob).when(confirm(setupSessionId)).then(400, refused).and(noNewEvents());
    await by(ada).when(confirm('sandbox-setup-of-nobody')).then(400, refused).and(noNewEvents());
    await opened.shop.tester.post('/testing/clock', { advanceSeconds: 86_401 });
    await ada.signIn(email);
    await by(ada).when(confirm(setupSessionId)).then(400, refused).and(noNewEvents());
  });

  it('tell what is wrong with a request to save one, and save nothing', async () => {
    const { setupSessionId } = (await by(ada).when(setup()).then(200)).body;
    for (const request of [
      setup({ providerAlias: 'manual' }),
      setup({ providerAlias: 'nobody' }),
      setup({ providerAlias: undefined }),
      setup({ returnUrl: 'https://elsewhere.example/' }),
      setup({ cancelUrl: undefined }),
      confirm(setupSessionId, { providerAlias: 'manual' }),
      confirm(setupSessionId, { setupSessionId: undefined }),
    ])
      await by(ada).when(request).then(400, { success: false }).and(refusedFor('invalid-request'));
    for (const [paymentMethodToken, status, code] of [
      ['tok_of_nobody', 400, 'payment-method-refused'],
      [undefined, 400, 'payment-method-refused'],
      ['tok_unavailable', 503, 'provider-unavailable'],
    ] as const)
      await by(ada)
        .when(confirm(setupSessionId, { paymentMethodToken }))
        .then(status, { success: false })
        .and(refusedFor(code))
        .and(noNewEvents());
    await by(ada)
      .when(setup({ methodAlias: 'widget' }))
      .then(400, { success: false, errorMessage: 'The sandbox cannot save widget.' });
    expect(await listed(ada)).to.deep.equal([]);
  });

  it('expire by the clock of the shop', async () => {
    const saved = await save(ada, { paymentMethodToken: 'tok_saved_expired' });
    expect(saved.isExpired).to.equal(true);
    expect(((await ada.ask(list())).body as ApiResponse['body'][])[0]?.isExpired).to.equal(true);
  });

  it('are kept by the providers that say so', async () => {
    await by(ada)
      .when(get(`${base}/providers`))
      .then(200)
      .and(
        body((providers) =>
          expect(providers).to.deep.equal([
            {
              alias: 'sandbox',
              displayName: 'Sandbox',
              iconHtml: methodIcons.card,
              requiresProviderCustomerId: false,
            },
          ]),
        ),
      );
  });

  it('say nothing of a card but its last four figures, in the log neither', async () => {
    const { id } = await save(ada);
    const [saved] = (await eventsIn(opened.shop)).filter(
      ({ data }) => (data as { methodId?: string }).methodId === id,
    );
    expect(Object.keys(saved?.data as object)).to.have.members([
      'methodId',
      'provider',
      'providerMethodId',
      'providerCustomerId',
      'methodType',
      'cardBrand',
      'last4',
      'expiryMonth',
      'expiryYear',
      'billingName',
      'billingEmail',
      'isVerified',
      'isDefault',
      'consentIpAddress',
      'savedAt',
    ]);
    const { store } = opened.shop.shop.runtime;
    const raw = (await store.readAll(0)).filter(({ type }) => type === 'PaymentMethodSaved');
    for (const text of [email, '4242', 'sandbox-method-'])
      expect(
        raw.some(({ data }) => data.includes(text)),
        text,
      ).to.equal(false);
  });

  it('are seen, chosen and removed by staff too', async () => {
    const [first, second] = [await save(ada), await save(ada)];
    const customerId = await customerNamed(opened.shop, email);
    const staff = opened.shop.given().by(opened.shop.admin);
    const ofCustomer = manage.get(`/customers/${customerId}/saved-payment-methods`);
    await staff
      .when(ofCustomer)
      .then(200)
      .and(body((rows) => expect(rows).to.have.length(2)));
    const one = `/saved-payment-methods/${second.id}`;
    await staff.when(manage.get(one)).then(200, { id: second.id, isDefault: false });
    await staff.when(manage.post(`${one}/set-default`)).then(200, { success: true });
    await staff.when(manage.get(one)).then(200, { isDefault: true });
    await staff.when(manage.delete(one)).then(204);
    for (const request of [manage.get(one), manage.post(`${one}/set-default`), manage.delete(one)])
      await staff.when(request).then(404).and(refusedFor('payment-method-not-found'));
    expect(await listed(ada)).to.deep.equal([first.id]);
  });

  it('go with the customer', async () => {
    const { id } = await save(ada);
    const customerId = await customerNamed(opened.shop, email);
    await opened.shop
      .given()
      .by(opened.shop.admin)
      .when(manage.delete(`/customers/${customerId}`))
      .then(204);
    await opened.shop.settle();
    const removed = (await eventsIn(opened.shop)).filter(({ type }) => type === 'PaymentMethodRemoved');
    expect(removed.map(({ data }) => (data as { methodId: string }).methodId)).to.include(id);
  });
});

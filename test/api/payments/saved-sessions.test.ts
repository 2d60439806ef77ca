import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import { openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';
import { returnFromProvider, get, pay, payElsewhere, payInvoice, post } from '#test/support/requests.ts';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import { refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';

const checkout = '/api/shop/checkout';
const create = (changes: object = {}) => post(`${checkout}/sandbox/create-order`, changes);
const capture = (changes: object) => post(`${checkout}/sandbox/capture-order`, changes);
const wish = { savePaymentMethod: true };

// docs/rules/saved-methods.md#saving-with-a-session
describe('Saving the method that was paid with elsewhere', () => {
  let opened: MemberShop;
  let mugId: string;
  let people = 0;
  let ada: Customer;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10, stock: 1000 });
  });
  after(() => opened.close());
  beforeEach(async () => {
    ada = opened.customer();
    await ada.register(`ada${++people}@example.com`, mugId);
    await ada.initialize();
  });

  const by = (customer: Customer) => opened.shop.given().by(customer);
  const listed = async (customer: Customer) =>
    (await customer.ask(get('/api/shop/storefront/payment-methods'))).body as ApiResponse['body'][];
  const keptWith = async (invoiceId: string) =>
    (await eventsIn(opened.shop))
      .filter(({ type, stream }) => type === 'PaymentCaptured' && stream === `invoice-${invoiceId}`)
      .map(({ data }) => (data as { keptMethodId?: string }).keptMethodId);
  const atThePage = async (customer: Customer, changes: object = wish) => {
    const { body } = await by(customer).when(payElsewhere('redirect', changes)).then(200, { success: true });
    return { invoiceId: String(body.invoiceId), sessionId: String(body.sessionId) };
  };
  const told = async (sessionId: string, invoiceId: string) => {
    const { total } = (await ada.ask(get('/api/shop/storefront/basket'))).body as { total: number };
    const data = { transactionId: sessionId, invoiceId, amount: total, currency: 'GBP' };
    await sendEvent(ada, { type: 'PaymentCompleted', data });
  };

  it('keeps it when its payer is back, once, and charges it the next time', async () => {
    const { invoiceId, sessionId } = await atThePage(ada);
    for (const _ of [1, 2])
      await by(ada).when(returnFromProvider({ sessionId })).then(200, { status: 'Completed' });
    const [saved, ...others] = await listed(ada);
    expect(others).to.deep.equal([]);
    expect(saved).to.include({ displayLabel: 'Visa ending in 4242', isDefault: true });
    expect(await keptWith(invoiceId)).to.deep.equal([saved?.id]);
    await ada.prepare(mugId, 1, `ada${people}@example.com`);
    await by(ada)
      .when(post(`${checkout}/process-saved-payment`, { savedPaymentMethodId: saved?.id }))
      .then(200, { status: 'Completed' });
  });

  it('keeps it when a callback comes before the payer', async () => {
    const { invoiceId, sessionId } = await atThePage(ada);
    await told(sessionId, invoiceId);
    await by(ada).when(returnFromProvider({ sessionId })).then(200, { status: 'Completed' });
    expect(await keptWith(invoiceId)).to.deep.equal((await listed(ada)).map(({ id }) => id as string));
    expect(await listed(ada)).to.have.length(1);
  });

  it('keeps it of a widget, asked for when its order is created', async () => {
    const { orderId } = (await by(ada).when(create(wish)).then(200)).body;
    await by(ada).when(capture({ orderId })).then(200, { status: 'Completed', paymentMethodSaved: true });
    expect(await listed(ada)).to.have.length(1);
  });

  it('keeps it of a widget, asked for only when its order is captured, as the default', async () => {
    const first = (await by(ada).when(create(wish)).then(200)).body;
    await ada.ask(capture({ orderId: first.orderId }));
    await ada.prepare(mugId, 1, `ada${people}@example.com`);
    const { orderId } = (await by(ada).when(create()).then(200)).body;
    const [older] = await listed(ada);
    const asked = { orderId, ...wish, setAsDefaultMethod: true };
    for (const _ of [1, 2])
      await by(ada).when(capture(asked)).then(200, { status: 'Completed', paymentMethodSaved: true });
    const [latest, ...others] = await listed(ada);
    expect(latest).to.include({ isDefault: true });
    expect(others.map(({ id }) => id as string)).to.deep.equal([older?.id]);
  });

  it('keeps it of a card that its bank checks, once, whoever comes first: the payer, the callback or both', async () => {
    for (const first of ['payer', 'callback', 'both'] as const) {
      const customer = opened.customer();
      await customer.register(`checked-${first}@example.com`, mugId);
      await customer.initialize();
      const { invoiceId } = (await by(customer).when(pay()).then(200)).body;
      const card = payInvoice(invoiceId, { paymentMethodToken: 'tok_3ds', ...wish });
      const { transactionId } = (await by(customer).when(card).then(200, { status: 'RequiresAction' })).body;
      const sessionId = String(transactionId);
      const back = () => customer.ask(returnFromProvider({ sessionId }));
      const tells = () => told(sessionId, String(invoiceId));
      if (first === 'both') await Promise.all([back(), tells()]);
      else await (first === 'payer' ? back() : tells());
      await back();
      await tells();
      const [saved, ...others] = await listed(customer);
      expect(saved).to.include({ displayLabel: 'Visa ending in 3155' });
      expect(others).to.deep.equal([]);
      expect(await keptWith(String(invoiceId))).to.deep.equal([saved?.id]);
    }
  });

  it('keeps it of a card whose outcome its provider owes', async () => {
    const { invoiceId } = (await by(ada).when(pay()).then(200)).body;
    const card = payInvoice(invoiceId, { paymentMethodToken: 'tok_pending', ...wish });
    const { transactionId } = (await by(ada).when(card).then(200, { status: 'Pending' })).body;
    await sendEvent(ada, {
      type: 'PaymentCompleted',
      data: { transactionId, invoiceId, amount: 17, currency: 'GBP' },
    });
    expect(await keptWith(String(invoiceId))).to.deep.equal(
      (await listed(ada)).map(({ id }) => id as string),
    );
    expect(await listed(ada)).to.have.length(1);
  });

  it('records from which address a customer agreed to it', async () => {
    const { sessionId } = await atThePage(ada);
    await by(ada).when(returnFromProvider({ sessionId })).then(200, { status: 'Completed' });
    const { orderId } = await (async () => {
      await ada.prepare(mugId, 1, `ada${people}@example.com`);
      return (await by(ada).when(create()).then(200)).body;
    })();
    await by(ada)
      .when(capture({ orderId, ...wish }))
      .then(200, { paymentMethodSaved: true });
    const saved = (await eventsIn(opened.shop)).filter(({ type }) => type === 'PaymentMethodSaved').slice(-2);
    for (const { data } of saved)
      expect((data as { consentIpAddress: string | null }).consentIpAddress).to.match(/127\.0\.0\.1|::1/);
  });

  it('keeps nothing of a payment that fails, nor without the wish', async () => {
    const failed = (await by(ada).when(create(wish)).then(200)).body;
    await by(ada)
      .when(capture({ orderId: failed.orderId, outcome: 'decline' }))
      .then(200, { status: 'Failed', paymentMethodSaved: false });
    const { orderId } = (await by(ada).when(create()).then(200)).body;
    await by(ada).when(capture({ orderId })).then(200, { status: 'Completed', paymentMethodSaved: false });
    expect(await listed(ada)).to.deep.equal([]);
  });

  it('keeps nothing for guests', async () => {
    const guest = opened.customer();
    await guest.prepare(mugId, 1, `guest${people}@example.com`);
    const { orderId } = (await by(guest).when(create(wish)).then(200)).body;
    await by(guest)
      .when(capture({ orderId, ...wish }))
      .then(200, { status: 'Completed', paymentMethodSaved: false });
  });

  it('refuses a wish that is none', async () => {
    const none = { savePaymentMethod: 'yes' };
    for (const request of [
      payElsewhere('redirect', none),
      create(none),
      capture({ orderId: 'any', ...none }),
    ])
      await by(ada).when(request).then(400).and(refusedFor('invalid-request'));
  });
});

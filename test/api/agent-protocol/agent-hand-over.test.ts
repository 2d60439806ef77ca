import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { BuyingAgent, home } from '#test/support/agents/buying-agent.ts';
import { cartProblems, checkoutProblems } from '#test/support/agents/checkout-problems.ts';
import { Browser, type ApiResponse } from '#test/support/browser.ts';
import { typedAddress } from '#test/support/builders/address.ts';
import { giveAddresses } from '#test/support/requests.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const carts = '/api/v1/carts';
const sessions = '/api/v1/checkout-sessions';
const management = '/backoffice/api/v1';
const profileOf = (base: string) => `${base}/.well-known/ucp-test-agent/agent`;

// docs/rules/agent-hand-over.md
describe('A shopper who goes on with what an agent has begun', () => {
  let shop: TestShop;
  let agent: Browser;
  let jar: string;
  before(async () => {
    shop = await TestShop.open();
    agent = new Browser(shop.base, {
      'UCP-Agent': `profile="${profileOf(shop.base)}", version="2026-04-08"`,
    });
    await shop.sell('mug', { price: 10, stock: 20 });
    jar = await shop.sell('jar', { price: 7 });
  });
  // The rate of openings is ten a minute.
  beforeEach(() => shop.tester.post('/testing/clock', { advanceSeconds: 61 }));
  after(() => shop.close());

  const linkIn = ({ body }: ApiResponse): string => {
    const token = String(body.continue_url).split('/continue/')[1] ?? '';
    expect(token).to.have.length(43);
    return `/api/shop/checkout/continue/${token}`;
  };
  const begin = (path: string, told: object = {}) =>
    agent.post(path, { line_items: [{ item: { id: 'mug' }, quantity: 2 }], ...told });
  const buyer = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' };
  const invoiceOf = async (invoiceId: string) =>
    (await shop.admin.get(`${management}/orders/${invoiceId}`)).body;
  const pays = async (shopper: Shopper, email?: string): Promise<string> => {
    for (const step of [() => shopper.giveAddress(email), () => shopper.initialize()])
      expect((await step()).status).to.equal(200);
    const { invoiceId } = (await shopper.pay()).body;
    expect((await shopper.payWith(invoiceId)).status).to.equal(200);
    await shop.settle();
    return invoiceId;
  };

  it('gets its basket, changes it and pays: the agent’s checkout is completed with that sale', async () => {
    const begun = await begin(sessions, { buyer, currency: 'GBP' });
    const shopper = shop.shopper();
    const link = linkIn(begun);
    const opened = await shopper.get(link);
    expect(opened.status).to.equal(200);
    expect(opened.body).to.deep.include({ success: true, hasUnavailableItems: false, unavailableItems: [] });
    expect(opened.body.basket.lineItems).to.have.length(1);
    expect(shopper.cookies.get('shop_currency')).to.equal('GBP');
    expect(shopper.basketId).not.to.equal('');

    await shopper.add(jar, 3);
    await shopper.update(opened.body.basket.lineItems[0].id, 1);
    const path = `${sessions}/${begun.body.id}`;
    const read = await agent.get(path);
    expect(checkoutProblems(read.body)).to.deep.equal([]);
    expect(
      read.body.line_items.map((line: { item: { id: string }; quantity: number }) => [
        line.item.id,
        line.quantity,
      ]),
    ).to.deep.equal([
      ['mug', 1],
      [jar, 3],
    ]);
    await agent.put(path, { discounts: { codes: [] } });
    expect((await shopper.basket()).body.itemCount, 'an update of something else').to.equal(4);

    const invoiceId = await pays(shopper);
    const completed = await agent.get(path);
    expect(checkoutProblems(completed.body)).to.deep.equal([]);
    expect(completed.body).to.include({ status: 'completed' });
    expect(completed.body.order.id).to.equal(invoiceId);
    expect((await agent.put(path, { buyer: null })).status).to.equal(409);
    expect((await invoiceOf(invoiceId)).source).to.include({
      type: 'ucp',
      sourceName: 'UCP',
      sourceId: profileOf(shop.base),
      sessionId: begun.body.id,
    });
    expect((await shop.shopper().get(link)).status).to.equal(404);
  });

  it('need not be named by the agent once they have given their e-mail address', async () => {
    const begun = await begin(sessions);
    const isMissed = ({ body }: ApiResponse): boolean =>
      body.messages.some(({ path }: { readonly path?: string }) => path === '$.buyer.email');
    const shopper = shop.shopper();
    await shopper.get(linkIn(begun));
    const path = `${sessions}/${begun.body.id}`;
    const before = await agent.get(path);
    await shopper.giveAddress('grace@example.com');
    const after = await agent.get(path);
    expect([isMissed(before), isMissed(after)]).to.deep.equal([true, false]);
    expect(after.text).not.to.include('grace@example.com');
  });

  it('shuts the agent out at the moment of paying, before anyone has told its session', async () => {
    const begun = await begin(sessions);
    const shopper = shop.shopper();
    await shopper.get(linkIn(begun));
    await shopper.giveAddress();
    await shopper.initialize();
    const { invoiceId } = (await shopper.pay()).body;
    const wish = { line_items: [{ item: { id: 'mug' }, quantity: 3 }] };
    const update = async () => (await agent.put(`${sessions}/${begun.body.id}`, wish)).status;
    expect(await update(), 'an order that can be paid').to.equal(409);
    expect((await shopper.payWith(invoiceId)).status).to.equal(200);
    expect(await update()).to.equal(409);
    expect((await agent.get(`${sessions}/${begun.body.id}`)).body.line_items[0].quantity).to.equal(2);
  });

  it('shows the agent what was sold, whatever is in the basket by the time they pay', async () => {
    const begun = await begin(sessions);
    const path = `${sessions}/${begun.body.id}`;
    const shopper = shop.shopper();
    const opened = await shopper.get(linkIn(begun));
    await shopper.giveAddress();
    await shopper.initialize();
    const { invoiceId } = (await shopper.pay()).body;
    const ordered = (await agent.get(path)).body;
    await shopper.update(opened.body.basket.lineItems[0].id, 1);
    await shopper.add(jar, 3);
    expect((await agent.get(path)).body.totals).not.to.deep.equal(ordered.totals);
    expect((await shopper.payWith(invoiceId)).status).to.equal(200);
    await shop.settle();
    const { body } = await agent.get(path);
    expect(checkoutProblems(body)).to.deep.equal([]);
    expect([body.status, body.order.id]).to.deep.equal(['completed', invoiceId]);
    expect([body.line_items, body.totals]).to.deep.equal([ordered.line_items, ordered.totals]);
  });

  it('leaves the checkout to the agent again once their order has expired', async () => {
    const begun = await begin(sessions);
    const shopper = shop.shopper();
    await shopper.get(linkIn(begun));
    await shopper.giveAddress();
    await shopper.initialize();
    await shopper.pay();
    const update = async () => (await agent.put(`${sessions}/${begun.body.id}`, { buyer: null })).status;
    expect(await update()).to.equal(409);
    await shop.tester.post('/testing/clock', { advanceSeconds: 3700 });
    await shop.settle();
    await shop.tester.post('/testing/jobs/release-reservations');
    await shop.settle();
    expect(await update()).to.equal(200);
  });

  it('buys from the web where the agent had only a cart, and for its session where it has one', async () => {
    const cart = await begin(carts);
    const shopper = shop.shopper();
    await shopper.get(linkIn(cart));
    const invoiceId = await pays(shopper);
    expect((await invoiceOf(invoiceId)).source).to.include({ type: 'web' });
    expect((await agent.get(`${carts}/${cart.body.id}`)).status).to.equal(404);

    const other = await begin(carts);
    const another = shop.shopper();
    await another.get(linkIn(other));
    const session = await agent.post(sessions, { cart_id: other.body.id });
    const sold = await pays(another);
    expect((await invoiceOf(sold)).source).to.include({ type: 'ucp', sessionId: session.body.id });
    expect((await agent.get(`${sessions}/${session.body.id}`)).body.order.id).to.equal(sold);
    expect((await agent.get(`${carts}/${other.body.id}`)).status).to.equal(404);
  });

  it('is billed where they say and known by their own address, though the agent pays', async () => {
    const paying = new BuyingAgent(shop.base, { name: 'agent' });
    const { path } = await paying.beginWith({ buyer: { first_name: 'Ada' } }, ['mug', 1]);
    const chosen = (await paying.browser.get(path)).body.fulfillment.methods[0];
    const shopper = shop.shopper();
    await shopper.get(linkIn(await paying.browser.get(path)));
    const own = {
      billingAddress: typedAddress({ addressOne: '1 Bill Street' }),
      shippingSameAsBilling: false,
    };
    const told = { ...own, email: 'own@example.com', shippingAddress: typedAddress() };
    expect((await shopper.ask(giveAddresses(told))).status).to.equal(200);
    const groups = [{ selected_option_id: chosen.groups[0].selected_option_id }];
    const wish = { type: 'shipping', selected_destination_id: home.id, groups };
    expect((await paying.browser.put(path, { fulfillment: { methods: [wish] } })).status).to.equal(200);
    const completed = await paying.complete(path);
    expect(completed.body.status, completed.text).to.equal('completed');
    await shop.settle();
    const { customerId, billingAddress, shippingAddress } = await invoiceOf(completed.body.order.id);
    expect([billingAddress.addressOne, shippingAddress.addressOne]).to.deep.equal([
      ...['1 Bill Street', home.street_address],
    ]);
    const known = await shop.admin.get(`${management}/customers?search=own@example.com`);
    expect(known.body.items.map(({ id }: { id: string }) => id)).to.deep.equal([customerId]);
  });

  it('keeps a currency of their own, and gets the basket of a cart as they left it', async () => {
    const cart = await begin(carts);
    const shopper = shop.shopper();
    shopper.cookies.set('shop_currency', 'USD');
    const opened = await shopper.get(linkIn(cart));
    expect(shopper.cookies.get('shop_currency')).to.equal('USD');
    await shopper.update(opened.body.basket.lineItems[0].id, 5);
    const read = await agent.get(`${carts}/${cart.body.id}`);
    expect(cartProblems(read.body)).to.deep.equal([]);
    expect(read.body.line_items[0].quantity).to.equal(5);
    expect((await shopper.get(linkIn(cart))).body.basket.lineItems[0].quantity).to.equal(5);
  });

  it('may leave a checkout behind from then on, and not before', async () => {
    const begun = await begin(sessions, {
      buyer: { ...buyer, email: 'left@example.com' },
      fulfillment: {
        methods: [
          {
            destinations: [{ id: 'home', address_country: 'GB' }],
            selected_destination_id: 'home',
            groups: [],
          },
        ],
      },
    });
    await agent.put(`${sessions}/${begun.body.id}`, {
      line_items: [{ item: { id: 'mug' }, quantity: 1 }],
    });
    await shop.settle();
    const left = async (): Promise<number> => {
      await shop.settle();
      return (await shop.admin.get(`${management}/abandoned-checkouts?search=left@example.com`)).body.items
        .length;
    };
    expect(await left()).to.equal(0);
    await shop.shopper().get(linkIn(begun));
    expect(await left()).to.equal(1);
  });

  it('is shown nothing by a link that is wrong, over or looked at too often', async () => {
    const begun = await begin(sessions);
    const link = linkIn(begun);
    const looking = shop.shopper();
    const looked = await looking.get(link, { 'Sec-Purpose': 'prefetch' });
    expect(looked.status).to.equal(200);
    expect(looking.basketId).to.equal('');
    await agent.ask({ method: 'POST', path: `${sessions}/${begun.body.id}/cancel` });
    const refused = [
      await shop.shopper().get(link),
      await shop.shopper().get(`${link.slice(0, -1)}!`),
      await shop.shopper().get(`/api/shop/checkout/continue/${newId()}`),
    ];
    for (const { status, text } of refused) expect([status, text]).to.deep.equal([404, refused[0]?.text]);
    const statuses: number[] = [];
    for (let opening = 0; opening < 8; opening++) statuses.push((await shop.shopper().get(link)).status);
    expect(statuses.slice(-3)).to.deep.equal([404, 429, 429]);
  });
});

import { expect } from 'chai';
import type { AgentBuyer } from '#command/contexts/checkout/checkout.commands.ts';
import { newId } from '#kernel/ids.ts';
import { emptyAddress } from '#values/address.ts';
import { orderProblems } from '#test/support/agents/checkout-problems.ts';
import { TestShop } from '#test/support/shop.ts';

const profileUri = 'https://agent.example/profile';
const management = '/backoffice/api/v1';
const buyer: AgentBuyer = {
  email: null,
  firstName: null,
  lastName: null,
  billingAddress: { ...emptyAddress, countryCode: 'GB', country: 'United Kingdom' },
  shippingAddress: { ...emptyAddress, countryCode: 'GB', country: 'United Kingdom' },
  acceptsMarketing: false,
};

// docs/rules/agent-orders.md
describe('An order of an agent', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  after(() => shop.close());

  const meta = () => ({
    ...{ correlationId: newId(), causationId: newId(), commandId: newId() },
    actor: { kind: 'agent', id: profileUri } as const,
  });
  const begin = async (isVerified = false) => {
    const { agentSessions } = shop.shop.command.actions;
    const line = { itemId: 'mug', productId: mug, quantity: 1 };
    const { sessionId } = await agentSessions.create(
      { profileUri, isVerified },
      {
        ...{ dialect: '2026-04-08', memberId: null, hasManyGroups: false },
        ...{ agentName: null, capabilities: [], currency: 'GBP' },
        ...{ orderWebhookUrl: null, sessionWebhookUrl: null, lines: [line, line], changes: {} },
      },
      meta(),
    );
    return sessionId;
  };
  const buy = async (type: 'ucp' | 'web' = 'ucp', isVerified = false) => {
    const shopper = shop.shopper();
    await shopper.add(mug, 2);
    const { checkout } = shop.shop.command.deps.apis;
    await checkout.nameBuyer(shopper.basketId, buyer, null, meta());
    const sessionId = await begin(isVerified);
    const source = { type, displayName: 'Agent', sourceName: 'UCP', sourceId: profileUri, sessionId };
    const asked = { hasAcceptedTerms: true, wantedCurrency: undefined, shown: null, ip: '' };
    const how = { ...asked, mayStayUnknown: true, source };
    const { invoiceId } = await checkout.placeOrder(shopper.basketId, how, meta());
    await shopper.payWith(invoiceId);
    return { invoiceId, sessionId };
  };
  const read = (id: string, { as = profileUri, version = '' } = {}) => {
    const named = version === '' ? '' : `;version="${version}"`;
    return shop.tester.ask({
      method: 'GET',
      path: `/api/v1/orders/${id}`,
      headers: { 'UCP-Agent': `profile="${as}"${named}` },
    });
  };

  it('is shown as soon as it is placed, in both versions, with a link to it', async () => {
    const { invoiceId, sessionId } = await buy();
    const { status, body } = await read(invoiceId);
    expect([status, orderProblems(body)]).to.deep.equal([200, []]);
    expect(body).to.deep.include({ id: invoiceId, checkout_id: sessionId, currency: 'GBP' });
    expect(body.line_items.map(({ item }: { item: { id: string } }) => item.id)).to.deep.equal([
      'mug',
      'mug',
    ]);
    expect(body.totals.at(-1)).to.deep.include({ type: 'total' });
    const link = new URL(body.permalink_url as string);
    const shown = await shop.tester.get(
      `/api/shop/storefront/orders/${invoiceId}?key=${link.searchParams.get('key') ?? ''}`,
    );
    expect([shown.status, shown.body.invoiceNumber]).to.deep.equal([200, body.label]);
    const older = (await read(invoiceId, { version: '2026-01-11' })).body;
    expect(orderProblems(older)).to.deep.equal([]);
    expect(older).not.to.have.any.keys('label', 'currency');
  });

  it('follows the shipments and refunds of the backoffice', async () => {
    const { invoiceId } = await buy();
    const [order] = (await shop.shown(`/orders/${invoiceId}`)).orders;
    const [line] = order.lineItems;
    const made = await shop.admin.post(`${management}/orders/${order.id}/shipments`, {
      ...{ lineItems: { [line.id]: 1 }, carrier: 'Royal Mail', trackingNumber: 'AB1' },
    });
    await shop.admin.put(`${management}/shipments/${made.body.id}/status`, { newStatus: 'Shipped' });
    const { body } = await read(invoiceId);
    expect(orderProblems(body)).to.deep.equal([]);
    expect(body.fulfillment.events.map(({ type }: { type: string }) => type)).to.deep.equal([
      ...['processing', 'shipped'],
    ]);
    expect(body.fulfillment.events[1]).to.deep.include({
      ...{ tracking_number: 'AB1', carrier: 'Royal Mail' },
      line_items: [{ id: body.line_items[0].id, quantity: 1 }],
    });
    expect(body.line_items.map(({ status }: { status: string }) => status)).to.deep.equal([
      ...['fulfilled', 'processing'],
    ]);
  });

  it('is the same 404 to other agents, by no id and by one that never was, and where no agent sold it', async () => {
    const { invoiceId } = await buy();
    const others = await Promise.all([
      read(invoiceId, { as: 'https://other.example/profile' }),
      read(newId()),
      read('no-id'),
      read((await buy('web')).invoiceId),
      read((await buy('ucp', true)).invoiceId),
    ]);
    for (const { status, body } of others) {
      expect(status).to.equal(404);
      expect(body).to.deep.equal(others[0]?.body);
      expect(body.messages[0]).to.include({ code: 'not_found' });
    }
  });

  it('is for agents only', async () => {
    const { status, body } = await shop.tester.get(`/api/v1/orders/${newId()}`);
    expect([status, body.code]).to.deep.equal([400, 'invalid_profile_url']);
    expect((await shop.admin.get('/api/v1/orders/stats')).status).to.equal(200);
  });
});

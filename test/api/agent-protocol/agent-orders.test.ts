import { expect } from 'chai';
import type { AgentBuyer } from '#command/contexts/checkout/checkout.commands.ts';
import { newId } from '#kernel/ids.ts';
import { emptyAddress } from '#values/address.ts';
import { datedVersions, schemaProblems } from '#test/support/agents/answer-schemas.ts';
import { orderProblems } from '#test/support/agents/checkout-problems.ts';
import { agentMeta, newSession } from '#test/support/builders/agent-session.ts';
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
    shop = await TestShop.open({
      environment: {
        Protocol__Ucp__TestEndpoints__Enabled: 'true',
        Protocol__Ucp__TestEndpoints__SimulationSecret: 'shaken',
      },
    });
    mug = await shop.sell('mug', { price: 10, stock: 1000, more: { images: ['mugs/blue.png'] } });
  });
  after(() => shop.close());

  const meta = () => agentMeta(profileUri);
  const begin = async (isVerified = false) => {
    const { agentSessions } = shop.shop.command.actions;
    const line = { itemId: 'mug', productId: mug, quantity: 1 };
    const asked = newSession([line, line]);
    const { sessionId } = await agentSessions.create({ profileUri, isVerified }, asked, meta());
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
    const picture = `${shop.base}/mugs/blue.png`;
    expect(
      body.line_items.map(({ item }: { item: Record<string, unknown> }) => [item['id'], item['image_url']]),
    ).to.deep.equal([
      ['mug', picture],
      ['mug', picture],
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

    const { items: payments } = await shop.shown(`/invoices/${invoiceId}/payments`);
    const refunded = await shop.admin.post(`${management}/payments/${payments[0].id}/refund`, {
      ...{ amount: 5, reason: 'Damaged' },
    });
    expect(refunded.status).to.equal(200);
    const { body: after } = await read(invoiceId);
    expect(orderProblems(after)).to.deep.equal([]);
    expect(after.adjustments).to.have.length(1);
    expect(after.adjustments[0]).to.deep.include({
      ...{ type: 'refund', status: 'completed', totals: [{ type: 'total', amount: -500 }] },
    });
    const { body: older } = await read(invoiceId, { version: '2026-01-11' });
    expect(orderProblems(older)).to.deep.equal([]);
    expect(older.adjustments).to.have.length(1);
    expect(older.adjustments[0]).to.include({ type: 'refund', status: 'completed', amount: 500 });
    expect(older.adjustments[0]).not.to.have.property('totals');
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
    const version = '2026-01-11';
    for (const asked of [
      read(invoiceId, { as: 'https://other.example/profile', version }),
      read('no-id', { version }),
    ]) {
      const { status, body } = await asked;
      expect(status).to.equal(404);
      expect(schemaProblems('error', version, body)).to.deep.equal([]);
      expect(body).to.include({ code: 'not_found', error: 'not_found' });
    }
  });

  const amend = (id: string, body: unknown, path = '/api/v1/orders', version = '2026-04-08') =>
    shop.tester.ask({
      method: 'PUT',
      path: `${path}/${id}`,
      body,
      headers: { 'UCP-Agent': `profile="${profileUri}";version="${version}"` },
    });
  const simulate = (orderId: string, secret?: string) =>
    shop.tester.ask({
      method: 'POST',
      path: `/testing/simulate-shipping/${orderId}`,
      headers: secret === undefined ? {} : { 'Simulation-Secret': secret },
    });

  it('takes over from a test what became of it, by ids, and nothing else', async () => {
    const { invoiceId } = await buy();
    const { body: order } = await read(invoiceId);
    const told = {
      ...{ id: 'event-1', type: 'in_transit', occurred_at: '2026-02-01T10:00:00+01:00' },
      ...{ line_items: [{ id: order.line_items[0].id, quantity: 1 }], tracking_number: 'T1', lorry: 7 },
    };
    const back = {
      ...{ id: 'adjustment-1', type: 'refund', occurred_at: '2026-02-01T10:00:00Z', status: 'completed' },
      ...{ amount: 500, totals: [{ type: 'total', amount: -500 }] },
    };
    const whole = {
      ...order,
      label: 'mine',
      totals: [],
      fulfillment: { events: [told] },
      adjustments: [back],
    };
    const amended = await amend(invoiceId, whole);
    expect([amended.status, orderProblems(amended.body)]).to.deep.equal([200, []]);
    const { body } = await read(invoiceId);
    expect(body).to.deep.equal(amended.body);
    expect(body).to.deep.equal({
      ...order,
      fulfillment: {
        ...order.fulfillment,
        events: [{ ...told, occurred_at: '2026-02-01T09:00:00.000Z' }],
      },
      adjustments: [{ ...back, occurred_at: '2026-02-01T10:00:00.000Z' }],
    });
    const delivered = { ...told, type: 'delivered' };
    const again = await amend(invoiceId, { fulfillment: { events: [delivered] } }, '/orders');
    expect(again.body.fulfillment.events).to.deep.equal([
      { ...delivered, occurred_at: '2026-02-01T09:00:00.000Z' },
    ]);
    expect(again.body.adjustments).to.deep.equal(body.adjustments);
  });

  it('refuses from a test what it cannot show: 422 with its place, and nothing changes', async () => {
    const { invoiceId } = await buy();
    const { body: order } = await read(invoiceId);
    const event = { id: 'e', type: 'shipped', occurred_at: '2026-02-01T10:00:00Z', line_items: [] };
    const refused: readonly [body: unknown, path: string][] = [
      [{ fulfillment: { events: 'none' } }, '$.fulfillment.events'],
      [{ fulfillment: { events: [{ ...event, type: 7 }] } }, '$.fulfillment.events[0].type'],
      [{ adjustments: [{ ...event, status: 'lost' }] }, '$.adjustments[0].status'],
    ];
    for (const version of datedVersions)
      for (const [given, path] of refused) {
        const { status, body } = await amend(invoiceId, given, undefined, version);
        expect([status, body.messages[0].path]).to.deep.equal([422, path]);
        expect(schemaProblems('error', version, body)).to.deep.equal([]);
      }
    expect((await read(invoiceId)).body).to.deep.equal(order);
    expect((await amend(newId(), {})).status).to.equal(404);
  });

  it('is shipped for a test that knows the secret', async () => {
    const { invoiceId } = await buy();
    for (const secret of [undefined, '', 'shake', 'shaken!'])
      expect((await simulate(invoiceId, secret)).status).to.equal(403);
    expect((await read(invoiceId)).body.fulfillment.events).to.deep.equal([]);
    for (const _ of [1, 2]) {
      const { status, body } = await simulate(invoiceId, 'shaken');
      expect([status, body]).to.deep.equal([200, { success: true, order_id: invoiceId, status: 'shipped' }]);
    }
    const { body } = await read(invoiceId);
    expect(body.fulfillment.events.map(({ type }: { type: string }) => type)).to.deep.equal([
      ...['processing', 'shipped'],
    ]);
    expect(body.line_items.map(({ status }: { status: string }) => status)).to.deep.equal([
      ...['fulfilled', 'fulfilled'],
    ]);
    expect((await shop.shown(`/orders/${invoiceId}`)).orders[0].status).to.equal('Shipped');
    expect((await simulate(newId(), 'shaken')).status).to.equal(404);
  });

  it('is told to test agents, who show the last fifty notices', async () => {
    const path = '/testing/agents/tester/webhooks/orders';
    for (const number of Array.from({ length: 51 }, (_, index) => index))
      await shop.tester.ask({
        method: 'POST',
        path,
        body: { number },
        headers: { 'Webhook-Id': `n${number}` },
      });
    expect((await shop.tester.get(path)).status).to.equal(403);
    const { body } = await shop.tester.ask({
      ...{ method: 'GET', path },
      headers: { 'Simulation-Secret': 'shaken' },
    });
    expect(body.items).to.have.length(50);
    expect(body.items[0].body).to.deep.equal({ number: 1 });
    expect(body.items[49].headers).to.include({ 'webhook-id': 'n50' });
  });

  it('is for agents only', async () => {
    const { status, body } = await shop.tester.get(`/api/v1/orders/${newId()}`);
    expect([status, body.code]).to.deep.equal([400, 'invalid_profile_url']);
    expect((await shop.admin.get('/api/v1/orders/stats')).status).to.equal(200);
  });
});

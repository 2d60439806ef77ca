import { expect } from 'chai';
import { verifyDetached } from '#signatures/detached-jws.ts';
import { verifyMessage } from '#signatures/verify-message.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';
import { NoticedAgent } from '#test/support/agents/noticed-agent.ts';
import { orderProblems } from '#test/support/agents/checkout-problems.ts';
import { TestShop } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';

// docs/rules/agent-notices.md
describe('Notices to agents', () => {
  let shop: TestShop;
  let agent: NoticedAgent;
  let mug: string;
  before(async () => {
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  beforeEach(async () => {
    agent = await NoticedAgent.open(shop);
  });
  afterEach(() => agent.close());
  after(() => shop.close());

  const ship = async (orderId: string, lineId: string, trackingNumber: string) => {
    const path = `${management}/orders/${orderId}/shipments`;
    const made = await shop.admin.post(path, {
      lineItems: { [lineId]: 1 },
      carrier: 'Royal Mail',
      trackingNumber,
    });
    await shop.admin.put(`${management}/shipments/${made.body.id}/status`, { newStatus: 'Shipped' });
  };

  it('tell the whole day of an order in its order: placed once it is paid, two parcels, a refund', async () => {
    const { invoiceId, sessionId, pay } = await agent.order(mug);
    await shop.settle();
    expect(agent.events, 'before it is paid').to.deep.equal([]);
    await pay();
    const [order] = (await shop.shown(`/orders/${invoiceId}`)).orders;
    const [line] = order.lineItems;
    await ship(order.id, line.id, 'RM1');
    await ship(order.id, line.id, 'RM2');
    const { items: payments } = await shop.shown(`/invoices/${invoiceId}/payments`);
    await shop.admin.post(`${management}/payments/${payments[0].id}/refund`, {
      amount: 5,
      reason: 'Chipped',
    });
    await shop.settle();
    expect(agent.events).to.deep.equal([
      ...[
        'order_placed',
        'order_updated',
        'order_shipped',
        'order_updated',
        'order_shipped',
        'order_refunded',
      ],
    ]);
    const bodies = agent.told.map(({ body }) => body);
    for (const body of bodies) {
      expect(orderProblems(body)).to.deep.equal([]);
      expect(body).to.deep.include({ id: invoiceId, checkout_id: sessionId, currency: 'GBP' });
    }
    const sent = bodies.map(({ fulfillment }) =>
      fulfillment.events.map((one: { type: string }) => one.type).join(),
    );
    expect(sent).to.deep.equal([
      ...['', 'processing', 'processing,shipped', 'processing,shipped,processing'],
      ...Array<string>(2).fill('processing,shipped,processing,shipped'),
    ]);
    expect(bodies.map(({ line_items: [one] }) => one.quantity.fulfilled)).to.deep.equal([0, 0, 1, 1, 2, 2]);
    expect(bodies.map(({ adjustments }) => adjustments.length)).to.deep.equal([0, 0, 0, 0, 0, 1]);
    const read = await shop.tester.ask({
      method: 'GET',
      path: `/api/v1/orders/${invoiceId}`,
      headers: { 'UCP-Agent': 'profile="https://agent.example/profile"' },
    });
    expect({ ...bodies.at(-1), permalink_url: '' }, 'what it would read now').to.deep.equal({
      ...read.body,
      permalink_url: '',
    });
  });

  it('carry who sends them, which event they are of, and a signature by a published key', async () => {
    await (await agent.order(mug)).pay();
    await shop.settle();
    const [{ headers, bytes, path } = expect.fail('nothing was told')] = agent.told;
    const { body: manifest } = await shop.tester.get('/.well-known/ucp');
    const findKey = (kid: string) => manifest.signing_keys.find((key: { kid: string }) => key.kid === kid);
    const url = new URL(path, agent.receiver.url).href;
    const needed = [
      ...['@method', '@authority', '@path', '@query', 'ucp-agent', 'idempotency-key', 'content-digest'],
      ...['content-type', 'webhook-id', 'webhook-timestamp'],
    ];
    const now = shop.shop.runtime.clock.now();
    const verified = verifyMessage({ method: 'POST', url, headers, body: bytes }, findKey, { now, needed });
    expect(verified.kind).to.equal('verified');
    const changed = { ...headers, 'webhook-id': 'another' };
    expect(
      verifyMessage({ method: 'POST', url, headers: changed, body: bytes }, findKey, { now, needed }).kind,
    ).to.equal('refused');
    expect(headers).to.deep.include({
      'content-type': 'application/json',
      'user-agent': 'Service-UCP/1.0',
      'x-event-type': 'order_placed',
      'idempotency-key': headers['webhook-id'],
    });
    expect(headers['ucp-agent']).to.match(/^profile="http.*\/\.well-known\/ucp"$/);
    expect(Math.abs(Number(headers['webhook-timestamp']) - now / 1000)).to.be.below(60);
  });

  it('have the form and the signature of the older version where the session speaks it', async () => {
    const { pay } = await agent.order(mug, { dialect: '2026-01-11' });
    await pay();
    await shop.settle();
    const [{ headers, bytes, body } = expect.fail('nothing was told')] = agent.told;
    const { event_id, created_time, event_type, order, ...members } = body;
    expect(orderProblems(members)).to.deep.equal([]);
    expect(order).to.deep.equal(members);
    expect([event_id, event_type]).to.deep.equal([headers['webhook-id'], 'order_placed']);
    expect(Math.floor(Date.parse(created_time) / 1000)).to.equal(Number(headers['webhook-timestamp']));
    expect(headers).not.to.have.any.keys('signature', 'signature-input', 'content-digest');
    const { body: manifest } = await shop.tester.get('/.well-known/ucp');
    const findKey = (kid: string) => manifest.signing_keys.find((key: { kid: string }) => key.kid === kid);
    expect(verifyDetached(String(headers['request-signature']), bytes, findKey).kind).to.equal('verified');
  });

  it('are neither sent nor kept where the agent has named no address, and never to a private one', async () => {
    const before = (await shop.shown('/agent-deliveries')).totalItems;
    await (await agent.order(mug, { url: null })).pay();
    await shop.settle();
    expect([agent.events, (await shop.shown('/agent-deliveries')).totalItems]).to.deep.equal([[], before]);
    await (await agent.order(mug, { url: 'https://169.254.169.254/latest' })).pay();
    await (await agent.order(mug, { url: 'http://agent.example/orders' })).pay();
    await shop.settle();
    const { items } = await shop.shown('/agent-deliveries?pageSize=2');
    const told = await Promise.all(
      items.map(({ id }: { id: string }) => shop.shown(`/agent-deliveries/${id}`)),
    );
    expect(told.map(({ errorMessage }) => errorMessage).toSorted()).to.deep.equal([
      'Target URL is not allowed: 169.254.169.254 is a private or reserved address',
      'Target URL is not allowed: only https is allowed',
    ]);
  });

  it('are tried again a second later with the same id, time and bytes', async () => {
    let answered = 0;
    agent.receiver.answer((response) => response.writeHead(answered++ === 0 ? 500 : 200).end());
    await (await agent.order(mug)).pay();
    await agent.receiver.count(2, 5000);
    const [first, second] = agent.told;
    expect(second?.bytes.equals(first?.bytes ?? Buffer.alloc(0))).to.equal(true);
    for (const name of ['webhook-id', 'webhook-timestamp', 'idempotency-key'])
      expect(second?.headers[name]).to.equal(first?.headers[name]);
  });

  it('are opened by no key once their buyer is forgotten', async () => {
    agent.receiver.answer((response) => response.writeHead(500).end('Ada Lovelace'));
    const { invoiceId, pay } = await agent.order(mug);
    await pay();
    await agent.receiver.count(1);
    await shop.settle();
    const { items } = await shop.shown(`/agent-deliveries?invoiceId=${invoiceId}`);
    const kept = await shop.shop.runtime.stateStore.get<AgentNotice>('agentNotices', items[0].id);
    expect(JSON.stringify(kept)).not.to.match(/Lovelace|St James/);
    expect(kept?.requestBody).to.match(/^sealed:/);
  });
});

import { expect } from 'chai';
import { agentAt, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const card = {
  id: 'card-1',
  handler_id: 'sandbox:card',
  type: 'card',
  selected: true,
  credential: { type: 'token', token: 'tok_success' },
};

// docs/rules/agent-sessions.md#capabilities, docs/rules/agent-dialects.md#sessions
describe('Checkout sessions of a shop whose version is no date, without extensions', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open({
      environment: {
        Protocol__Ucp__Version: 'draft-2',
        Protocol__Ucp__RequireBuyerEmail: 'true',
        Protocol__Ucp__Extensions__Discount: 'false',
        Protocol__Ucp__Extensions__Fulfillment: 'false',
        Protocol__Ucp__Extensions__BuyerConsent: 'false',
      },
    });
    await shop.sell('mug', { price: 10 });
    await shop.discount('TEN', 10);
  });
  after(() => shop.close());

  it('have the draft’s words for their states, pass over what is switched off, and ask for an e-mail', async () => {
    const agent = agentAt(shop.base, { version: '2026-04-08' });
    const destination = { id: 'home', address_country: 'GB' };
    const { status, body } = await agent.post(sessionsPath, {
      line_items: wanting(['mug', 1]),
      buyer: { first_name: 'Ada', consent: { marketing: true } },
      discounts: { codes: ['TEN'] },
      fulfillment: { methods: [{ destinations: [destination], selected_destination_id: 'home' }] },
    });
    expect(status).to.equal(201);
    expect(body.ucp.version).to.equal('draft-2');
    expect(Object.keys(body.ucp.capabilities)).to.deep.equal(['dev.ucp.shopping.checkout']);
    expect(body).to.include({ status: 'active', session_status: 'active' });
    expect(body.buyer).to.deep.equal({ first_name: 'Ada' });
    expect(body).not.to.have.any.keys('discounts', 'fulfillment');
    expect(body.totals).to.deep.equal([
      { type: 'subtotal', amount: 1000 },
      { type: 'tax', amount: 200 },
      { type: 'total', amount: 1200 },
    ]);
    expect(body.messages).to.have.length(2);
    expect(body.messages[1]).to.include({ type: 'error', code: 'missing', path: '$.buyer.email' });
  });

  // docs/rules/agent-sessions.md#shipping
  it('leave it to the buyer where goods are sent, and are not completed by the agent', async () => {
    const agent = agentAt(shop.base, { version: '2026-04-08' });
    const wished = { line_items: wanting(['mug', 1]), buyer: { email: 'ada@example.com' } };
    const { body } = await agent.post(sessionsPath, wished);
    expect(body).to.include({ status: 'active', checkout_status: 'requires_escalation' });
    expect(body.messages).to.have.length(1);
    expect(body.messages[0]).to.include({
      type: 'error',
      code: 'fulfillment_required',
      severity: 'requires_buyer_input',
    });
    const refused = await agent.post(`${sessionsPath}/${body.id}/complete`, { payment: { instruments: [] } });
    expect(refused.status).to.equal(400);
    expect(refused.body.messages[0]).to.include({ code: 'fulfillment_required' });
    expect(refused.body.messages[0].content).to.include('Fulfillment address and option must be selected');
  });

  it('are completed once the buyer has chosen how the goods are sent, at what that costs', async () => {
    const agent = agentAt(shop.base, { version: '2026-04-08' });
    const begun = await agent.post(sessionsPath, { line_items: wanting(['mug', 1]) });
    const token = String(begun.body.continue_url).split('/continue/')[1] ?? '';
    const shopper = shop.shopper();
    await shopper.get(`/api/shop/checkout/continue/${token}`);
    await shopper.giveAddress();
    await shopper.initialize();
    const { body } = await agent.get(`${sessionsPath}/${begun.body.id}`);
    expect(body).to.include({ status: 'active', checkout_status: 'ready_for_complete' });
    expect(body.messages).to.deep.equal([]);
    const sold = await agent.post(`${sessionsPath}/${begun.body.id}/complete`, {
      payment: { instruments: [card] },
    });
    expect([sold.status, sold.body.checkout_status]).to.deep.equal([200, 'completed']);
    const amounts = new Map<string, number>(
      sold.body.totals.map((one: { type: string; amount: number }) => [one.type, one.amount]),
    );
    expect(amounts.get('fulfillment')).to.be.above(0);
    await shop.settle();
    const { total: charged } = (await shop.admin.ask(manage.get(`/orders/${sold.body.order.id}`))).body;
    expect(amounts.get('total')).to.equal(Math.round(charged * 100));
  });

  // docs/rules/agent-orders.md#whose
  it('are sold under the shop’s own version', async () => {
    const begun = await agentAt(shop.base).post(sessionsPath, { line_items: wanting(['mug', 1]) });
    const token = String(begun.body.continue_url).split('/continue/')[1] ?? '';
    const shopper = shop.shopper();
    await shopper.get(`/api/shop/checkout/continue/${token}`);
    await shopper.giveAddress();
    await shopper.initialize();
    const { invoiceId } = (await shopper.pay()).body;
    expect((await shopper.payWith(invoiceId)).status).to.equal(200);
    await shop.settle();
    const { source } = (await shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body;
    expect(source).to.include({ type: 'ucp', sessionId: begun.body.id, protocolVersion: 'draft-2' });
  });
});

// docs/rules/agent-sessions.md#places
describe('Checkout sessions of a shop that sends to whole addresses only', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open({ environment: { Protocol__Ucp__StrictAddressValidation: 'true' } });
    await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  it('say what the selected address lacks, and are sold once it is all there', async () => {
    const agent = agentAt(shop.base);
    const country = { id: 'home', first_name: 'Ada', address_country: 'GB' };
    const sending = (destination: object) => ({
      fulfillment: { methods: [{ selected_destination_id: 'home', destinations: [destination] }] },
    });
    const wished = { line_items: wanting(['mug', 1]), ...sending(country) };
    const { body: begun } = await agent.post(sessionsPath, wished);
    const [method] = begun.fulfillment.methods;
    const selected_option_id: string = method.groups[0].options[0].id;
    const path = `${sessionsPath}/${begun.id}`;
    const { body } = await agent.put(path, {
      fulfillment: { methods: [{ groups: [{ selected_option_id }] }] },
    });
    const at = '$.fulfillment.methods[0].destinations[0]';
    const lacking = body.messages.filter(({ type }: { readonly type: string }) => type === 'error');
    expect(lacking.map((one: Record<string, string>) => [one['code'], one['path']])).to.deep.equal([
      ['missing', `${at}.street_address`],
      ['missing', `${at}.address_locality`],
      ['missing', `${at}.postal_code`],
    ]);
    expect(body.status).to.equal('incomplete');
    const refused = await agent.post(`${path}/complete`, { payment: { instruments: [] } });
    expect([refused.status, refused.body.messages[0].path]).to.deep.equal([400, `${at}.street_address`]);
    const street = { street_address: '12 High Street', address_locality: 'London', postal_code: 'SW1A 1AA' };
    const whole = await agent.put(path, sending({ ...country, ...street }));
    expect(whole.body.status).to.equal('ready_for_complete');
  });
});

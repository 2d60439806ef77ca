import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { agentAt, cartsPath, sessionsPath, wanting } from '#test/support/agents/asking-agent.ts';
import { BuyingAgent, home } from '#test/support/agents/buying-agent.ts';
import { checkoutProblems, orderProblems } from '#test/support/agents/checkout-problems.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import type { Service } from '#values/service.ts';

const mugs = (quantity: number) => ({ line_items: wanting(['mug', quantity]) });
const sending = (method: object) => ({ fulfillment: { methods: [{ type: 'shipping', ...method }] } });
const toHome = sending({ destinations: [home], selected_destination_id: home.id });
const statuses = (answers: readonly ApiResponse[]) => answers.map(({ status }) => status);

/** docs/rules/agent-sessions.md, agent-carts.md and agent-orders.md#reading */
describe('An agent of two replicas of each service', () => {
  let shop: DistributedShop;
  let one: BuyingAgent;
  let other: BuyingAgent;
  /** At each replica of a service, past the gateway. */
  const doorsOf = (service: Service) =>
    shop
      .replicas(service)
      .map(({ at }) => agentAt(at.base, { profile: `${shop.base}/.well-known/ucp-test-agent/buyer` }));
  before(async () => {
    const { open } = sharedMemory();
    shop = await DistributedShop.open({ engines: open, replicas: { command: 2, projection: 2 } });
    await shop.sell('mug', { price: 10, stock: 50 });
    const [first, second] = doorsOf('command').map((browser) => new BuyingAgent('', { browser }));
    if (!first || !second) throw new Error('there are not two');
    [one, other] = [first, second];
  });
  after(() => shop.close());

  const begin = async (): Promise<string> => {
    const { body } = await one.browser.post(sessionsPath, { ...mugs(1), ...toHome });
    const [{ id: cheapest }] = body.fulfillment.methods[0].groups[0].options;
    const path = `${sessionsPath}/${body.id}`;
    const chosen = await other.browser.put(path, sending({ groups: [{ selected_option_id: cheapest }] }));
    expect([chosen.status, chosen.body.status], chosen.text).to.deep.equal([200, 'ready_for_complete']);
    return path;
  };
  const atBoth = (ask: (agent: BuyingAgent) => Promise<ApiResponse>) => Promise.all([one, other].map(ask));

  it('changes at the second what it has begun at the first, pays there, and reads it and its order at all', async () => {
    const path = await begin();
    const changed = await other.browser.put(path, mugs(2));
    expect((await one.browser.get(path)).body.totals).to.deep.equal(changed.body.totals);
    const paid = await one.complete(path);
    expect([paid.status, paid.body.status], paid.text).to.deep.equal([200, 'completed']);
    const orders = await Promise.all(
      doorsOf('projection').map((door) => door.get(`/api/v1/orders/${paid.body.order.id}`)),
    );
    for (const { status, body } of orders) {
      expect([status, orderProblems(body)]).to.deep.equal([200, []]);
      expect(body.line_items[0].quantity.total).to.equal(2);
    }
    for (const { body } of await atBoth(({ browser }) => browser.get(path))) {
      expect(checkoutProblems(body)).to.deep.equal([]);
      expect(body.order).to.deep.equal(paid.body.order);
    }
    expect(await shop.charges(paid.body.order.id)).to.have.length(1);
  });

  it('makes one checkout of a cart that it fills at both', async () => {
    const begun = await one.browser.post(cartsPath, mugs(1));
    const path = `${cartsPath}/${begun.body.id}`;
    expect((await other.browser.put(path, mugs(3))).status).to.equal(200);
    expect((await one.browser.get(path)).body.line_items[0].quantity).to.equal(3);
    const both = await atBoth(({ browser }) => browser.post(sessionsPath, { cart_id: begun.body.id }));
    expect(statuses(both).toSorted()).to.deep.equal([200, 201]);
    const [sessionId, ...same] = new Set(both.map(({ body }) => body.id as string));
    expect(same).to.deep.equal([]);
    expect(statuses(await atBoth(({ browser }) => browser.put(path, mugs(1))))).to.deep.equal([409, 409]);
    await other.browser.put(`${sessionsPath}/${sessionId}`, mugs(2));
    expect((await one.browser.get(path)).body.line_items[0].quantity).to.equal(2);
    await one.browser.ask({ method: 'POST', path: `${sessionsPath}/${sessionId}/cancel` });
    expect((await other.browser.get(path)).body.cart_status).to.equal('active');
  });

  it('gets the first answer again at the other one, byte for byte, and nothing is done twice', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const first = await one.browser.post(sessionsPath, mugs(1), headers);
    const again = await other.browser.post(sessionsPath, mugs(1), headers);
    expect([again.status, again.headers.get('Idempotency-Replayed')]).to.deep.equal([201, 'true']);
    expect(again.text).to.equal(first.text);
    const differing = await other.browser.post(sessionsPath, mugs(2), headers);
    expect([differing.status, differing.body.code]).to.deep.equal([409, 'idempotency_conflict']);

    const path = await begin();
    const key = newId();
    const [paid, repeated] = await atBoth((agent) => agent.complete(path, 'tok_success', { key }));
    expect([paid?.status, repeated?.text]).to.deep.equal([200, paid?.text]);
    expect(await shop.charges(paid?.body.order.id)).to.have.length(1);
  });

  it('pays once where it asks both at once, each with a key of its own', async () => {
    const path = await begin();
    const answers = await atBoth((agent) => agent.complete(path, 'tok_success', { key: newId() }));
    expect(statuses(answers).toSorted()).to.deep.equal([200, 409]);
    const { body } = await other.browser.get(path);
    expect(body.status).to.equal('completed');
    expect(await shop.charges(body.order.id)).to.have.length(1);
  });
});

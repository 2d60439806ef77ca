import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { NoticedAgent, profileUri } from '#test/support/agents/noticed-agent.ts';
import { heard, says } from '#test/support/owners-hooks.ts';
import { TestShop } from '#test/support/shop.ts';
import { respondWith } from '#test/support/subscriber.ts';

const deliveries = '/backoffice/api/v1/agent-deliveries';
const asking = 'ProtocolWebhookSendingNotification';
const hooksFile = new URL('../../support/owners-hooks.ts', import.meta.url).pathname;

// docs/rules/agent-notices.md#backoffice
describe('Notices to agents in the backoffice', () => {
  let shop: TestShop;
  let agent: NoticedAgent;
  let mug: string;
  before(async () => {
    shop = await TestShop.open({
      environment: {
        ALLOW_LOOPBACK_TARGETS: 'true',
        HOOKS_FILE: hooksFile,
        Protocol__Ucp__TestEndpoints__Enabled: 'true',
        Protocol__Ucp__TestEndpoints__SimulationSecret: 'shaken',
      },
    });
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  beforeEach(async () => {
    agent = await NoticedAgent.open(shop);
  });
  afterEach(async () => {
    says.clear();
    await agent.close();
  });
  after(() => shop.close());

  const buy = async (url?: string): Promise<string> => {
    const { invoiceId, pay } = await agent.order(mug, url === undefined ? {} : { url });
    await pay();
    await shop.settle();
    return invoiceId;
  };
  const only = async (invoiceId: string) =>
    (await shop.shown(`/agent-deliveries?invoiceId=${invoiceId}`)).items[0];
  const retry = (id: string) => shop.admin.post(`${deliveries}/${id}/retry`, {});
  const simulate = (path: string, method: 'GET' | 'POST') =>
    shop.tester.ask({ method, path, headers: { 'Simulation-Secret': 'shaken' } });

  it('say what was sent and answered; one that failed is sent again by hand, once it has arrived no more', async () => {
    agent.receiver.answer(respondWith(503, 'later'));
    const invoiceId = await buy();
    const item = await only(invoiceId);
    expect(item).to.include({
      eventType: 'order_placed',
      invoiceId,
      agent: profileUri,
      responseStatusCode: 503,
    });
    expect((await shop.shown(`/agent-deliveries?invoiceId=${newId()}`)).totalItems).to.equal(0);
    expect((await shop.admin.get(`${deliveries}?status=Lost`)).status).to.equal(400);
    expect((await shop.admin.get(`${deliveries}?invoiceId=1`)).status).to.equal(400);

    agent.receiver.answer(respondWith(200, 'thanks'));
    expect((await retry(item.id)).body).to.include({ id: item.id, status: 'Succeeded' });
    const { body } = await shop.admin.get(`${deliveries}/${item.id}`);
    const [sent] = agent.told;
    expect(body).to.include({
      requestBody: sent?.bytes.toString(),
      responseBody: 'thanks',
      responseStatusCode: 200,
    });
    expect(body.requestHeaders).to.include({ 'X-Event-Type': 'order_placed' });
    expect(body.attempts.map((one: { responseStatusCode: number }) => one.responseStatusCode)).to.include(
      503,
    );
    expect(body.retriedBy).to.be.a('string').that.is.not.empty;
    expect((await retry(item.id)).status).to.equal(400);
    expect((await retry(newId())).status).to.equal(404);
    expect((await shop.tester.get(`${deliveries}/${item.id}`)).status).to.equal(401);
  });

  it('are not sent where a hook objects, and say why', async () => {
    says.set(asking, 'Not on a Sunday.');
    const invoiceId = await buy();
    const item = await only(invoiceId);
    expect(item).to.include({ status: 'Abandoned', errorMessage: 'Withheld by a hook: Not on a Sunday.' });
    expect(agent.events).to.deep.equal([]);
    const asked = heard.findLast(({ notification }) => notification === asking);
    expect(asked).to.include({ deliveryId: item.id, eventType: 'order_placed', invoiceId, attemptNumber: 1 });
    says.clear();
    expect((await retry(item.id)).body).to.include({ status: 'Succeeded' });
    expect(agent.events).to.deep.equal(['order_placed']);
  });

  it('hold nothing of a buyer who is forgotten, and are not sent again', async () => {
    agent.receiver.answer(respondWith(500, 'no'));
    const invoiceId = await buy();
    const { id } = await only(invoiceId);
    const { customerId } = await shop.shown(`/orders/${invoiceId}`);
    const { body: held } = await shop.admin.get(`/backoffice/api/v1/customers/${customerId}/personal-data`);
    expect(held.agentNotices.map((one: { id: string }) => one.id)).to.include(id);
    await shop.admin.post(`/backoffice/api/v1/customers/${customerId}/forget`, {});
    const { body } = await shop.admin.get(`${deliveries}/${id}`);
    expect([body.requestBody, body.responseBody]).to.deep.equal([null, null]);
    const refused = await retry(id);
    expect(refused.status).to.equal(400);
    expect(JSON.stringify(refused.body)).to.match(/has been forgotten/);
  });

  it('reach the test agents of the shop: a simulated shipment, and what a test says of an order', async () => {
    const sink = '/testing/agents/ada/webhooks/orders';
    const invoiceId = await buy(`${shop.base}${sink}`);
    await simulate(`/testing/simulate-shipping/${invoiceId}`, 'POST');
    const headers = { 'UCP-Agent': `profile="${profileUri}"` };
    const order = { method: 'GET', path: `/api/v1/orders/${invoiceId}`, headers } as const;
    const { body } = await shop.tester.ask(order);
    const adjustment = {
      id: 'a',
      type: 'refund',
      occurred_at: '2026-02-01T10:00:00.000Z',
      status: 'completed',
    };
    await shop.tester.ask({ ...order, method: 'PUT', body: { ...body, adjustments: [adjustment] } });
    await shop.settle();
    const { items } = (await simulate(sink, 'GET')).body;
    expect(
      items.map((one: { headers: Record<string, string> }) => one.headers['x-event-type']),
    ).to.deep.equal([...['order_placed', 'order_updated', 'order_shipped', 'order_updated']]);
    expect(items.at(-1).body.adjustments[0]).to.include(adjustment);
  });

  it('are purged with the deliveries of webhooks', async () => {
    const invoiceId = await buy();
    await shop.tester.post('/testing/clock', { advanceSeconds: 31 * 86_400 });
    await shop.tester.post('/testing/jobs/purge-agent-notices');
    expect(await only(invoiceId)).to.equal(undefined);
  });
});

import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { wanting } from '#test/support/agents/asking-agent.ts';
import { Browser } from '#test/support/browser.ts';
import { TestShop } from '#test/support/shop.ts';

const trials = '/backoffice/api/v1/ucp-test';

// docs/rules/agents.md#trying-it-out
describe('A purchase that staff try out as a test agent', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
    await shop.sell('mug', { price: 10, stock: 5 });
  });
  after(() => shop.close());

  const agentId = 'trial';
  const tryOut = async (step: string, body: object) => {
    const { status, body: answer } = await shop.admin.post(`${trials}/${step}`, { agentId, ...body });
    expect(status, JSON.stringify(answer)).to.equal(200);
    return answer;
  };

  it('is asked of the real endpoints, and shown with what was sent and answered', async () => {
    const manifest = await tryOut('manifest', {});
    const profile = `${shop.base}/.well-known/ucp-test-agent/${agentId}`;
    expect(manifest).to.deep.include({
      step: 'manifest',
      success: true,
      sessionId: null,
      orderId: null,
      errorCode: null,
      request: {
        method: 'GET',
        url: `${shop.base}/.well-known/ucp`,
        headers: { 'ucp-agent': `profile="${profile}"` },
        body: null,
      },
    });
    expect(manifest.durationMs).to.be.at.least(0);
    expect(manifest.response.headers).to.include({ vary: 'UCP-Agent' });
    expect(manifest.response.body.ucp.version).to.equal('2026-04-08');

    const request = { line_items: wanting(['mug', 1]) };
    const begun = await tryOut('sessions/create', { request });
    expect(begun).to.deep.include({ success: true, status: 'incomplete', errorCode: null });
    expect(begun.response.statusCode).to.equal(201);
    const { sessionId } = begun;
    expect(begun.response.body.id).to.equal(sessionId);
    expect((await tryOut('sessions/get', { sessionId })).sessionId).to.equal(sessionId);
    const more = { line_items: wanting(['mug', 9]) };
    const short = await tryOut('sessions/update', { sessionId, request: more });
    expect(short).to.include({ success: false, errorCode: 'out_of_stock' });
    expect(short.errorMessage).to.match(/^Insufficient stock/);
    expect(short.response.statusCode).to.equal(400);

    const dry = await tryOut('sessions/complete', { sessionId, request: { payment: { instruments: [] } } });
    expect(dry).to.include({ step: 'sessions/complete', success: false, status: 'incomplete' });
    expect(dry.request).to.include({ method: 'POST' });
    expect(dry.request.url).to.match(/\/complete$/);
    expect(dry.response.statusCode).to.equal(200);

    expect(await tryOut('sessions/cancel', { sessionId })).to.include({ success: true, status: 'canceled' });
    const gone = await tryOut('sessions/cancel', { sessionId });
    expect(gone).to.include({ success: false, errorCode: 'checkout_not_modifiable' });
    expect(gone.response.headers['retry-after']).to.equal('1');
    const none = await tryOut('orders/get', { orderId: newId() });
    expect(none).to.include({ step: 'orders/get', success: false, errorCode: 'not_found', orderId: null });
    expect(none.response.statusCode).to.equal(404);
    const own = { agentId: 'other', sessionId };
    expect(await tryOut('sessions/get', own)).to.include({ success: false, errorCode: 'not_found' });
  });

  it('is for administrators, of an agent whose name can stand in an address', async () => {
    const stranger = await new Browser(shop.base).post(`${trials}/manifest`, { agentId });
    expect(stranger.status).to.equal(401);
    for (const body of [{}, { agentId: 'a b' }, { agentId: 'a'.repeat(65) }]) {
      const answer = await shop.admin.post(`${trials}/manifest`, body);
      expect([answer.status, answer.body.code]).to.deep.equal([400, 'invalid-request']);
    }
    const nameless = await shop.admin.post(`${trials}/sessions/get`, { agentId });
    expect(nameless.status).to.equal(400);
  });

  it('begins with what the shop is set up for', async () => {
    const { body } = await shop.admin.get(`${trials}/diagnostics`);
    expect(body).to.deep.include({
      version: '2026-04-08',
      supportedVersions: ['2026-04-08', '2026-01-11'],
      manifestUrl: `${shop.base}/.well-known/ucp`,
      profileResolution: 'lenient',
      allowedAgents: ['*'],
      testAgentEnabled: true,
      testEndpointsEnabled: false,
    });
    expect(body.protocols[0].alias).to.equal('ucp');
    expect(body.protocols[0].operations).to.include.members(['manifest', 'createSession', 'cancelSession']);
    expect(body.capabilities).to.include('dev.ucp.shopping.checkout');
    expect(body.signingKeys).to.have.lengthOf(1);
  });
});

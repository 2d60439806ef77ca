import { expect } from 'chai';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import { get, manage, withHeaders } from '#test/support/requests.ts';
import { schemaProblems } from '#test/support/agents/answer-schemas.ts';
import { header } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const manifest = '/.well-known/ucp';
const as = (profile: string, request = get(manifest)) =>
  withHeaders({ 'UCP-Agent': `profile="${profile}"` }, request);

const profiles: Record<string, object> = {
  '/checkout': {
    ucp: {
      version: '2026-04-08',
      capabilities: {
        'dev.ucp.shopping.checkout': [{ version: '2026-04-08' }],
        'dev.ucp.shopping.discount': [{ version: '2026-04-08' }],
      },
    },
  },
  '/older': {
    ucp: {
      version: '2026-01-11',
      capabilities: [{ name: 'dev.ucp.shopping.checkout', version: '2026-01-11' }],
    },
  },
  '/other': {
    ucp: { version: '2026-04-08', capabilities: { 'com.example.games': [{ version: '2026-04-08' }] } },
  },
  '/other-older': {
    ucp: { version: '2026-01-11', capabilities: [{ name: 'com.example.games', version: '2026-01-11' }] },
  },
};

describe('discovery by agents (docs/rules/agents.md#manifest)', () => {
  let shop: TestShop;
  let agents: Receiver;
  before(async () => {
    agents = await startReceiver((response, { path }) => {
      const profile = profiles[path];
      if (profile) response.end(JSON.stringify(profile));
      else response.writeHead(404).end();
    });
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
  });
  after(async () => {
    await shop.close();
    await agents.close();
  });
  const ask = (request: ReturnType<typeof get>) => shop.given().when(request);

  it('shows everybody what the shop can do, for an hour', async () => {
    const { body } = await ask(get(manifest))
      .then(200)
      .and(header('content-type', 'application/json'))
      .and(header('cache-control', 'public, max-age=3600'))
      .and(header('vary', 'UCP-Agent'));
    expect(schemaProblems('manifest', '2026-04-08', body)).to.deep.equal([]);
    expect(body.ucp.supported_versions).to.deep.equal({ '2026-01-11': `${shop.base}${manifest}/2026-01-11` });
    expect(body.ucp.services['dev.ucp.shopping'][0].endpoint).to.equal(`${shop.base}/api/v1`);
    expect(body.signing_keys).to.have.lengthOf(1);
    expect(body.signing_keys[0].kid).to.match(/^ucp-\d{8}-[0-9a-f]{8}$/);
    expect(body.signing_keys[0]).not.to.have.property('d');
    expect(body.ucp.payment_handlers['com.tillroll.sandbox'][0]).to.deep.include({
      id: 'sandbox:card',
      available_instruments: [{ type: 'card' }],
      config: { environment: 'sandbox' },
    });
  });

  it('shows each version that it speaks by itself', async () => {
    const { body: older } = await ask(get(`${manifest}/2026-01-11`)).then(200);
    expect(schemaProblems('manifest', '2026-01-11', older)).to.deep.equal([]);
    const { body: own } = await ask(get(`${manifest}/2026-04-08`)).then(200);
    expect(own.ucp.version).to.equal('2026-04-08');
    expect(own.ucp).not.to.have.property('supported_versions');
    await ask(get(`${manifest}/2025-01-01`)).then(404, { code: 'not_found', error: 'not_found' });
  });

  it('shows an agent what both can do, in the version of its profile', async () => {
    const { body } = await ask(as(`${agents.url}/checkout`)).then(200);
    expect(Object.keys(body.ucp.capabilities)).to.deep.equal([
      'dev.ucp.shopping.checkout',
      'dev.ucp.shopping.discount',
    ]);
    const { body: older } = await ask(as(`${agents.url}/older`)).then(200);
    expect(older.ucp).to.deep.include({ version: '2026-01-11' });
    expect(older.ucp.capabilities.map(({ name }: { name: string }) => name)).to.deep.equal([
      'dev.ucp.shopping.checkout',
    ]);
    await ask(as(`${agents.url}/checkout`)).then(200);
    expect(agents.requests.filter(({ path }) => path === '/checkout')).to.have.lengthOf(1);
  });

  it('says so where both have nothing in common, and shows all where the profile is not to be had', async () => {
    const { body } = await ask(as(`${agents.url}/other`)).then(200);
    expect(body).to.deep.include({
      ucp: { version: '2026-04-08', status: 'error', capabilities: {} },
      continue_url: `${shop.base}/demo`,
    });
    expect(body.messages[0]).to.include({ code: 'capabilities_incompatible', severity: 'unrecoverable' });
    const { body: older } = await ask(as(`${agents.url}/other-older`)).then(200);
    expect(older.ucp).to.include({ version: '2026-01-11', status: 'error' });
    expect(older.ucp.capabilities).to.deep.equal([]);
    expect(older.continue_url).to.equal(`${shop.base}/demo`);
    expect(older.messages[0]).to.include({
      ...{ type: 'error', code: 'capabilities_incompatible', severity: 'requires_buyer_input' },
    });
    const { text: whole } = await ask(get(manifest)).then(200).and(header('ucp-negotiation', null));
    for (const profile of [`${agents.url}/nowhere`, 'an agent', 'https://10.0.0.1/ucp']) {
      const { text } = await ask(as(profile)).then(200).and(header('ucp-negotiation', 'unresolved'));
      expect(text).to.equal(whole);
    }
  });

  it('has test agents, whose profiles it knows without asking', async () => {
    const address = `${manifest}-test-agent/ada`;
    const { body } = await ask(get(address)).then(200).and(header('cache-control', 'public, max-age=3600'));
    const { body: whole } = await ask(get(manifest)).then(200);
    expect(body).to.deep.include({ name: 'Test agent ada', signing_keys: whole.signing_keys });
    const { body: common } = await ask(as(shop.base + address)).then(200);
    expect(common).to.deep.equal(whole);
    await ask(get(`${manifest}-test-agent/a%20b`)).then(400, { code: 'invalid' });
    await ask(get(`${manifest}-test-agent/${'a'.repeat(65)}`)).then(400);
  });

  it('shows changes of the store and of its ways to pay at once', async () => {
    const admin = (request: ReturnType<typeof get>) => shop.given().by(shop.admin).when(request);
    const { text: before } = await ask(as(`${agents.url}/checkout`)).then(200);
    await admin(manage.put('/settings', { name: 'Second Shop' })).then(200);
    await admin(manage.post('/payment-providers/sandbox/toggle', { isEnabled: false })).then(200);
    const { body, text } = await ask(as(`${agents.url}/checkout`)).then(200);
    expect(text).not.to.equal(before);
    expect(body.store.name).to.equal('Second Shop');
    expect(Object.keys(body.ucp.payment_handlers)).to.deep.equal(['com.second_shop.manual']);
  });
});

import { expect } from 'chai';
import { createSubscriptionActions } from '#command/contexts/webhooks/subscription.actions.ts';
import type { SubscriptionSettings } from '#command/contexts/webhooks/subscription.commands.ts';
import { subscriptionDecider } from '#command/contexts/webhooks/subscription.decider.ts';
import { subscriptionRoutes } from '#command/contexts/webhooks/subscription.routes.ts';
import { createIdempotency } from '#command/engine/idempotency.ts';
import { createdSubscriptionSchema, subscriptionDetailSchema } from '#contracts/webhooks.contract.ts';
import { deliveriesCollection, zeroCounters, counterCollection } from '#topics/webhook-delivery.ts';
import { newDelivery } from '#dispatcher/contexts/webhooks/delivery.ts';
import { maskedEvents } from '#log/masked-events.ts';
import { declareWebhookLog, readWebhookLog } from '#runtime/webhook-log.ts';
import { newId } from '#kernel/ids.ts';
import { Api, asAdmin } from '../../support/api.ts';
import { Browser } from '../../support/browser.ts';
import { startTestEngine } from '../../support/engine.ts';
import { plainCipher, plainTexts } from '#test/support/plain-cipher.ts';

const path = '/backoffice/api/v1/webhooks';
const wanted = { name: 'Warehouse', topic: 'invoice.paid', targetUrl: 'https://hooks.example.com/in' };
type Json = Record<string, unknown>;

/** The command side of webhooks behind HTTP; names resolve as `addresses` says, others not at all. */
const openApi = async (addresses: Readonly<Record<string, readonly string[]>> = {}) => {
  const { engine, store, stateStore, clock } = await startTestEngine();
  await declareWebhookLog(stateStore);
  const actions = createSubscriptionActions({
    commands: engine,
    clock,
    policy: { allowLoopback: false, allowPrivate: false },
    resolve: (host) => Promise.resolve(addresses[host] ?? []),
    defaultTimeoutSeconds: 20,
  });
  const routes = subscriptionRoutes({ actions, logOf: (id) => readWebhookLog(stateStore, id) });
  const idempotency = await createIdempotency({
    stateStore,
    instanceId: newId(),
    isOnlyWriter: true,
    texts: plainTexts,
    formerCipher: plainCipher,
  });
  const api = await Api.open(routes, { idempotency, headers: asAdmin });
  const subscription = async (id: string): Promise<SubscriptionSettings> => {
    const { state } = await engine.load(subscriptionDecider, id);
    return state.status === 'subscribed' ? state.settings : expect.fail('not subscribed');
  };
  return { api, store, stateStore, subscription };
};

describe('webhook subscriptions over HTTP', () => {
  let shop: Awaited<ReturnType<typeof openApi>>;

  beforeEach(async () => {
    shop = await openApi({ 'inside.example.com': ['1.1.1.1', '10.0.0.1'], 'hooks.example.com': ['1.1.1.1'] });
  });
  afterEach(() => shop.api.close());

  const created = async (more: Json = {}) => {
    const answer = await shop.api.post(path, { ...wanted, ...more });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer;
  };

  it('are made with 201, Location, the whole subscription, and the secret for those who sign', async () => {
    const { body, headers } = await created();
    expect(createdSubscriptionSchema.parse(body)).to.deep.equal(body);
    expect(headers.get('location')).to.equal(`${path}/${body.id}`);
    expect(body).to.deep.include({
      topicDisplayName: 'Invoice Paid',
      isActive: true,
      authType: 'HmacSha256',
      authTypeValue: 1,
      authTypeDisplay: 'HMAC SHA-256',
      timeoutSeconds: 20,
      apiVersion: '2024-01',
      recentDeliveries: [],
      successCount: 0,
    });
    expect(body.secret).to.match(/^[A-Za-z0-9+/]{43}=$/);
    expect((await created({ authType: 2 })).body).to.include({ authType: 'HmacSha512' });
  });

  it('show neither a secret that nobody needs nor the value to sign in with', async () => {
    const { body } = await created({
      authType: 'apikey',
      authHeaderName: 'X-Key',
      authHeaderValue: 'sesame',
    });
    expect(body).to.not.have.property('secret');
    expect(body).to.include({ authHeaderName: 'X-Key', hasAuthHeaderValue: true });
    expect(JSON.stringify(body)).to.not.contain('sesame');
  });

  it('wait as long as they are told, from 1 to 300 seconds', async () => {
    for (const [given, kept] of [
      [0, 20],
      [-5, 20],
      [1, 1],
      [301, 300],
      [null, 20],
    ]) {
      expect((await created({ timeoutSeconds: given })).body.timeoutSeconds, String(given)).to.equal(kept);
    }
  });

  it('are sent up to 32 deliveries at once and signed in one way, unless they are told otherwise', async () => {
    const { body } = await created({ maxConcurrent: null });
    expect(body).to.include({ maxConcurrent: 32, standardWebhooks: false });
    const at = `${path}/${body.id}`;
    const changed = await shop.api.put(at, { maxConcurrent: 1, standardWebhooks: true });
    expect(changed.body).to.include({ maxConcurrent: 1, standardWebhooks: true });
    expect((await shop.api.put(at, { name: 'Orders' })).body).to.include({
      maxConcurrent: 1,
      standardWebhooks: true,
    });
    for (const maxConcurrent of [0, 33])
      expect((await shop.api.put(at, { maxConcurrent })).body.errors[0]).to.match(/^maxConcurrent: /);
    const unsigned = await shop.api.put(at, { authType: 'None' });
    expect(unsigned.status).to.equal(400);
    expect(unsigned.body.errors[0]).to.match(/^standardWebhooks: /);
    expect(await shop.subscription(body.id)).to.include({ maxConcurrent: 1, authType: 'HmacSha256' });
    expect((await created({ maxConcurrent: 32, standardWebhooks: true })).body).to.include({
      maxConcurrent: 32,
      standardWebhooks: true,
    });
  });

  const refused: readonly (readonly [why: string, changes: Json, problem: RegExp])[] = [
    ['without a name', { name: '  ' }, /^name: /],
    ['on an unknown topic', { topic: 'test.ping' }, /^topic: /],
    ['on no topic', { topic: undefined }, /^topic: /],
    ['to nowhere', { targetUrl: undefined }, /^targetUrl: /],
    ['to this machine', { targetUrl: 'http://127.0.0.1/x' }, /^targetUrl: /],
    ['to this machine by number', { targetUrl: 'http://2130706433' }, /^targetUrl: /],
    ['to the metadata service', { targetUrl: 'http://169.254.169.254' }, /^targetUrl: /],
    ['with user information', { targetUrl: 'https://user@hooks.example.com' }, /^targetUrl: /],
    ['by ftp', { targetUrl: 'ftp://hooks.example.com' }, /^targetUrl: /],
    [
      'to a name with a private address',
      { targetUrl: 'http://inside.example.com' },
      /^targetUrl: .*10\.0\.0\.1/,
    ],
    ['without the token', { authType: 'BearerToken' }, /^authHeaderValue: /],
    ['without a password', { authType: 'BasicAuth', authHeaderValue: 'user' }, /^authHeaderValue: /],
    ['with no attempt at a time', { maxConcurrent: 0 }, /^maxConcurrent: /],
    ['with 33 attempts at a time', { maxConcurrent: 33 }, /^maxConcurrent: /],
    ['with half an attempt', { maxConcurrent: 1.5 }, /^maxConcurrent: /],
    ['with a word for a switch', { standardWebhooks: 'yes' }, /^standardWebhooks: /],
    [
      'as Standard Webhooks has it without a signature',
      { authType: 'None', standardWebhooks: true },
      /^standardWebhooks: .*HmacSha256 or HmacSha512/,
    ],
    ['with an unknown way to sign in', { authType: 'Magic' }, /^authType: /],
    [
      'with a filter that makes no sense',
      { filterExpression: 'total >' },
      /^filterExpression: .*character 8/,
    ],
    ['with a filter that is too long', { filterExpression: 'a'.repeat(2001) }, /^filterExpression: /],
    ['with a line break in a header', { headers: { 'X-A': 'a\r\nb' } }, /^headers\.X-A: /],
    ['with a header that has no name', { headers: { 'X A': 'a' } }, /^headers\.X A: must be a header name$/],
    [
      'with a header twice',
      { headers: { 'X-Team': 'a', 'x-team': 'b' } },
      /^headers: must name each header once/,
    ],
    [
      'with a key in a header of ours',
      { authType: 'ApiKey', authHeaderName: 'X-Service-Topic', authHeaderValue: 'a' },
      /^authHeaderName: /,
    ],
  ];
  for (const [why, changes, problem] of refused) {
    it(`are refused ${why}, and nothing is written`, async () => {
      const { status, body } = await shop.api.post(path, { ...wanted, ...changes });
      expect(status).to.equal(400);
      expect(body.success).to.equal(false);
      expect(body.errors[0]).to.match(problem);
      expect(await shop.store.head()).to.equal(0);
    });
  }

  it('may be made for a name that cannot be resolved yet', async () => {
    await created({ targetUrl: 'https://not-yet.example.com/' });
  });

  it('are changed field by field; null changes nothing, an empty text takes back, the topic stays', async () => {
    const { body } = await created({ filterExpression: 'total > 1', headers: { 'X-Team': 'a' } });
    const at = `${path}/${body.id}`;
    const changed = await shop.api.put(at, {
      name: null,
      isActive: false,
      topic: 'order.created',
      filterExpression: '',
      timeoutSeconds: 500,
    });
    expect(changed.status).to.equal(200);
    expect(subscriptionDetailSchema.parse(changed.body)).to.deep.equal(changed.body);
    expect(changed.body).to.deep.include({
      name: 'Warehouse',
      topic: 'invoice.paid',
      isActive: false,
      filterExpression: null,
      timeoutSeconds: 300,
      headers: { 'X-Team': '***' },
    });
    expect((await shop.api.put(at, { targetUrl: 'http://10.0.0.1' })).status).to.equal(400);
    expect((await shop.api.put(`${path}/${newId()}`, {})).status).to.equal(404);
  });

  it('show of their headers the names, and keep the values of masks that come back', async () => {
    const token = 'sesame of the warehouse';
    const { body } = await created({ headers: { 'X-Token': token, 'X-Team': 'red' } });
    expect(body.headers).to.deep.equal({ 'X-Token': '***', 'X-Team': '***' });
    const at = `${path}/${body.id}`;
    const valuesNow = async () => (await shop.subscription(body.id)).headers;
    const answers = [
      await shop.api.put(at, { headers: body.headers }),
      await shop.api.put(at, { headers: { 'x-token': '***', 'X-Team': 'blue', 'X-New': 'new' } }),
    ];
    for (const { status, text } of answers) {
      expect(status).to.equal(200);
      expect(text).not.to.include('sesame').and.not.include('blue');
    }
    expect(await valuesNow()).to.deep.equal({ 'x-token': token, 'X-Team': 'blue', 'X-New': 'new' });

    const unknown = await shop.api.put(at, { headers: { 'X-Other': '***' } });
    expect(unknown.status).to.equal(400);
    expect(unknown.text).to.include('headers.X-Other: *** keeps a value');
    expect((await shop.api.post(path, { ...wanted, headers: { 'X-A': '***' } })).status).to.equal(400);
    expect(await valuesNow()).to.have.property('X-New', 'new');

    const log = (await shop.store.readAll(0)).map(({ data }) => data).join();
    expect(log).not.to.include('sesame').and.not.include('blue');
    const audited = JSON.stringify(maskedEvents(await shop.store.readAll(0)));
    expect(audited).to.include('"headers":"(secret)"');
  });

  it('show after a change what has been delivered to them', async () => {
    const { body } = await created();
    const { id } = body;
    const queued = { _id: newId(), subscriptionId: id, topic: 'invoice.paid', requestBody: '{}' } as const;
    const row = newDelivery({ ...queued, entityType: null, entityId: null }, { maxPayloadSizeBytes: 9 }, 0);
    await shop.stateStore.insertIfAbsent(deliveriesCollection, row);
    await shop.stateStore.insertIfAbsent(counterCollection, { ...zeroCounters(id), ...{ successCount: 7 } });
    const { body: detail } = await shop.api.put(`${path}/${id}`, {});
    expect(detail.successCount).to.equal(7);
    expect(detail.recentDeliveries.map((one: Json) => [one.id, one.status])).to.deep.equal([
      [queued._id, 'Pending'],
    ]);
  });

  it('get a new secret', async () => {
    const { body } = await created();
    const answer = await shop.api.post(`${path}/${body.id}/regenerate-secret`);
    expect(answer.status).to.equal(200);
    expect(Object.keys(answer.body)).to.deep.equal(['secret']);
    expect(answer.body.secret).to.be.a('string').and.not.equal(body.secret);
    expect((await shop.api.post(`${path}/${newId()}/regenerate-secret`)).status).to.equal(404);
  });

  it('end with 204, once', async () => {
    const { body } = await created();
    const at = `${path}/${body.id}`;
    expect((await shop.api.delete(at)).status).to.equal(204);
    expect((await shop.api.delete(at)).status).to.equal(404);
    expect((await shop.api.put(at, {})).status).to.equal(404);
  });

  it('are made once under an idempotency key, also when the answer was lost', async () => {
    const key = { 'Idempotency-Key': 'once' };
    const first = await shop.api.post(path, wanted, key);
    expect((await shop.api.post(path, wanted, key)).body).to.deep.equal(first.body);
    await shop.stateStore.deleteMany('idempotency', { expiresAt: { gt: 0 } }, 10);
    expect((await shop.api.post(path, wanted, key)).body).to.deep.equal(first.body);
    expect(await shop.store.head()).to.equal(1);
  });

  it('keep their secrets out of the log in clear', async () => {
    const { body } = await created({ authHeaderValue: 'open sesame' });
    const stored = JSON.stringify(await shop.store.readAll(0));
    expect(stored).to.not.contain(body.secret).and.not.contain('open sesame');
  });

  it('are made by admins only', async () => {
    expect((await new Browser(shop.api.base).post(path, wanted)).status).to.equal(401);
  });
});

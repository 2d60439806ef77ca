import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { deliveryIdOf } from '#dispatcher/contexts/webhooks/delivery-id.ts';
import { bodyOf, envelopeOf } from '#dispatcher/contexts/webhooks/envelope.ts';
import { createSender } from '#runtime/send.ts';
import { requestHeaders } from '#dispatcher/contexts/webhooks/signature.ts';
import type { WebhookSubscription } from '#reference/webhooks.reference.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { withoutSecrets } from '#values/webhook-headers.ts';
import { startReceiver, type Receiver, type ReceivedRequest } from '../support/receiver.ts';
import { subscriptionWith } from '../support/builders/webhook.ts';

const now = Date.UTC(2026, 2, 1, 9);
const deliveryId = deliveryIdOf('subscription', 'event', { topic: 'basket.updated', entityId: 'basket' });
const data = {
  name: 'Zoë ☕ 😀 \u2028 </script>',
  big: 1e21,
  small: 1e-7,
  z: 1,
  a: [null, '\ud800'],
  '10': 2,
};
const text = bodyOf(envelopeOf(deliveryId, { topic: 'basket.updated', data }, '2026-03-01T09:00:00.000Z'));

/** What any receiver would do, with nothing of ours. */
const isSignedWith = (secret: string, { headers, body }: ReceivedRequest): boolean =>
  createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('base64') ===
  headers['x-service-hmac-sha256'];

describe('F27: bytes and secrets', () => {
  let receiver: Receiver;
  const sender = createSender({
    policy: { allowLoopback: true, allowPrivate: false },
    resolve: () => Promise.resolve([]),
  });

  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
  after(() => sender.close());

  const deliver = (subscription: WebhookSubscription, requestBody: string) => {
    const body = Buffer.from(requestBody);
    const facts = { topic: 'basket.updated', deliveryId, body, now, isTest: false };
    const headers = requestHeaders(subscription, facts);
    return sender.send({ targetUrl: receiver.url, headers, body, timeoutMs: 30_000 });
  };

  it('signs the very bytes that arrive, whatever they hold, and the same ones on every attempt', async () => {
    const store = createMemoryDocumentStore();
    await store.declare('rows');
    await store.insertIfAbsent('rows', { _id: 'row', requestBody: text } as never);
    const stored = await store.get<{ _id: string; requestBody: string }>('rows', 'row');
    const subscription = subscriptionWith({ signingSecret: 'c2VjcmV0' });
    await deliver(subscription, text);
    await deliver(subscription, stored?.requestBody ?? '');
    const [first, second] = receiver.requests;
    if (!first || !second) return expect.fail('nothing arrived');
    expect(isSignedWith('c2VjcmV0', first)).to.equal(true);
    expect(second.body.equals(first.body)).to.equal(true);
    expect(JSON.parse(first.body.toString())).to.deep.include({ id: deliveryId, api_version: '2024-01' });
    expect(first.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Service-Webhooks/1.0',
      'x-service-topic': 'basket.updated',
      'x-service-delivery-id': deliveryId,
      'x-service-timestamp': String(now / 1000),
    });
  });

  it('does not match when a byte was changed on the way, or the body was serialised again', async () => {
    await deliver(subscriptionWith({ signingSecret: 'c2VjcmV0' }), text);
    const [request] = receiver.requests;
    if (!request) return expect.fail('nothing arrived');
    const changed = Buffer.from(request.body);
    changed[10] = (changed[10] ?? 0) ^ 1;
    expect(isSignedWith('c2VjcmV0', { ...request, body: changed })).to.equal(false);
    const pretty = Buffer.from(JSON.stringify(JSON.parse(request.body.toString()), null, 1));
    expect(isSignedWith('c2VjcmV0', { ...request, body: pretty })).to.equal(false);
  });

  it('signs the next attempt with the new secret, and with the old one never again', async () => {
    const before = subscriptionWith({ signingSecret: 'old' });
    await deliver(before, text);
    await deliver({ ...before, signingSecret: 'new' }, text);
    const signatures = receiver.requests.map((request) => [
      isSignedWith('old', request),
      isSignedWith('new', request),
    ]);
    expect(signatures).to.deep.equal([
      [true, false],
      [false, true],
    ]);
  });

  it('shows what was sent without what it was signed or signed in with', () => {
    const facts = { topic: 'basket.updated', deliveryId, body: Buffer.from(text), now, isTest: true };
    const secrets = [
      subscriptionWith({ authType: 'HmacSha256', signingSecret: 'sesame' }),
      subscriptionWith({ authType: 'HmacSha512', signingSecret: 'sesame' }),
      subscriptionWith({ authType: 'BearerToken', authHeaderValue: 'sesame' }),
      subscriptionWith({ authType: 'ApiKey', authHeaderValue: 'sesame' }),
      subscriptionWith({ authType: 'ApiKey', authHeaderName: 'x-key', authHeaderValue: 'sesame' }),
      subscriptionWith({ authType: 'BasicAuth', authHeaderValue: 'ali:sesame' }),
      subscriptionWith({ authType: 'None', headers: { 'X-Team-Token': 'sesame' } }),
    ];
    for (const subscription of secrets) {
      const sent = requestHeaders(subscription, facts);
      const shown = withoutSecrets(sent);
      expect(Object.keys(shown)).to.deep.equal(Object.keys(sent));
      const hidden = Object.values(shown).filter((value) => value === '***');
      expect(hidden, subscription.authType).to.have.length(1);
      expect(JSON.stringify(shown)).to.not.contain('sesame');
    }
    const standard = requestHeaders(subscriptionWith({ standardWebhooks: true }), facts);
    expect(withoutSecrets(standard)).to.include({
      'webhook-id': deliveryId,
      'webhook-timestamp': String(now / 1000),
      'webhook-signature': '***',
    });
    const own = requestHeaders(subscriptionWith({ headers: { 'webhook-id': 'sesame' } }), facts);
    expect(withoutSecrets(own)['webhook-id']).to.equal('***');
  });
});

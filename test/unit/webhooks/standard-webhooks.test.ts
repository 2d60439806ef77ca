import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { requestHeaders } from '#dispatcher/contexts/webhooks/signature.ts';
import { subscriptionWith } from '#test/support/builders/webhook.ts';

const signingSecret = Buffer.alloc(32, 'key').toString('base64');
const now = Date.now();
const body = Buffer.from('{"name":"Zoë ☕","total":12.5}');
const facts = { topic: 'invoice.paid', deliveryId: 'delivery-1', body, now, isTest: false };
const subscription = subscriptionWith({ signingSecret, standardWebhooks: true });

describe('a delivery that is signed as Standard Webhooks has it', () => {
  it("is verified by the standard's own library, beside our signature", () => {
    const signings = [
      ['HmacSha256', 'sha256', 'X-Service-Hmac-SHA256'],
      ['HmacSha512', 'sha512', 'X-Service-Hmac-SHA512'],
    ] as const;
    for (const [authType, algorithm, field] of signings) {
      const headers = requestHeaders({ ...subscription, authType }, facts);
      expect(new Webhook(signingSecret).verify(body, headers)).to.deep.equal({ name: 'Zoë ☕', total: 12.5 });
      const ours = createHmac(algorithm, signingSecret).update(body).digest('base64');
      expect(headers[field]).to.equal(ours);
      expect(headers).to.include({
        'webhook-id': 'delivery-1',
        'webhook-timestamp': String(Math.floor(now / 1000)),
        'X-Service-Delivery-Id': 'delivery-1',
      });
    }
  });

  it('is refused by it when a byte, the id or the time was changed, or with another secret', () => {
    const headers = requestHeaders(subscription, facts);
    const verify =
      (secret: string, payload: Buffer, changes: Record<string, string> = {}) =>
      () =>
        new Webhook(secret).verify(payload, { ...headers, ...changes });
    const other = Buffer.alloc(32, 'other').toString('base64');
    expect(verify(other, body)).to.throw('No matching signature found');
    expect(verify(signingSecret, Buffer.from(`${body.toString()} `))).to.throw('No matching signature found');
    expect(verify(signingSecret, body, { 'webhook-id': 'delivery-2' })).to.throw(
      'No matching signature found',
    );
    const later = String(Math.floor(now / 1000) + 1);
    expect(verify(signingSecret, body, { 'webhook-timestamp': later })).to.throw(
      'No matching signature found',
    );
    expect(verify(signingSecret, body)).not.to.throw();
  });

  it('is too old for it after five minutes', () => {
    const headers = requestHeaders(subscription, { ...facts, now: now - 301_000 });
    expect(() => new Webhook(signingSecret).verify(body, headers)).to.throw('Message timestamp too old');
  });

  it("keeps the standard's header fields from those of the subscriber", () => {
    const own = { 'Webhook-Id': 'mine', 'webhook-signature': 'v1,mine', 'X-Team': 'red' };
    const headers = requestHeaders({ ...subscription, headers: own }, facts);
    expect(headers)
      .to.include({ 'X-Team': 'red', 'webhook-id': 'delivery-1' })
      .and.not.have.property('Webhook-Id');
    expect(headers['webhook-signature']).not.to.contain('mine');
  });

  it('is not asked for unless it is set', () => {
    const headers = requestHeaders({ ...subscription, standardWebhooks: false }, facts);
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).to.deep.equal([]);
  });
});

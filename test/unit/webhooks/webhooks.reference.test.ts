import { expect } from 'chai';
import { createTextCipher } from '#runtime/encryption.ts';
import { keyFor } from '#runtime/keys.ts';
import { webhookEvents } from '#events/webhook.events.ts';
import { createWebhookReference } from '#reference/webhooks.reference.ts';
import { restarted, snapshotOf } from '#test/support/restart-part.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { givenEvents, inStream, type GivenEvent } from '#test/support/given.ts';

const { WebhookSubscribed, WebhookSubscriptionChanged, WebhookSecretRegenerated, WebhookUnsubscribed } =
  webhookEvents.create;

const cipher = createTextCipher(keyFor(Buffer.alloc(32, 'a'), 'test'));
const at = '2026-03-01T09:00:00.000Z';
const later = '2026-03-02T09:00:00.000Z';

const settings = {
  name: 'Warehouse system',
  targetUrl: 'https://receiver.example.com/hooks',
  isActive: true,
  authType: 'ApiKey' as const,
  authHeaderName: null,
  authHeaderValue: 'open sesame',
  timeoutSeconds: 30,
  filterExpression: null,
  headers: { 'X-Token': 'let me in' },
  maxConcurrent: 32,
  standardWebhooks: false,
};
const subscribed = (name: string, topic = 'invoice.paid') =>
  inStream(
    streamOf.webhookSubscription(idNamed(name)),
    WebhookSubscribed({ ...settings, name, topic, signingSecret: `secret of ${name}`, at }),
  );
const thereafter = (name: string, event: GivenEvent) =>
  inStream(streamOf.webhookSubscription(idNamed(name)), event);

const create = () => createWebhookReference(cipher);
const seen = ({ subscriptions }: ReturnType<typeof create>) => subscriptions();

describe('webhook subscriptions in reference state', () => {
  it('are found by topic while they are active, oldest first', () => {
    const reference = givenEvents(
      ...subscribed('one'),
      ...subscribed('two'),
      ...subscribed('three', 'basket.created'),
      ...subscribed('four'),
      ...thereafter('one', WebhookSubscriptionChanged({ ...settings, isActive: false, at: later })),
      ...thereafter('four', WebhookUnsubscribed({ at: later })),
    ).foldInto(create, seen);
    expect(reference.activeFor('invoice.paid').map(({ name }) => name)).to.deep.equal(['two']);
    expect(reference.activeFor('basket.created').map(({ name }) => name)).to.deep.equal(['three']);
    expect(reference.activeFor('basket.updated')).to.deep.equal([]);
    expect(reference.subscriptions()).to.have.length(3);
    expect(reference.subscription(idNamed('one'))).to.include({
      isActive: false,
      topic: 'invoice.paid',
      dateCreated: at,
      dateUpdated: later,
    });
  });

  it('sign with their new secret as soon as there is one', () => {
    const renewed = WebhookSecretRegenerated({ signingSecret: 'new', at: later });
    const reference = givenEvents(...subscribed('one'), ...thereafter('one', renewed)).foldInto(create, seen);
    expect(reference.subscription(idNamed('one'))?.signingSecret).to.equal('new');
  });

  it('come back from a snapshot that holds no secret', () => {
    const reference = givenEvents(...subscribed('one')).foldInto(create, seen);
    expect(JSON.stringify(snapshotOf(reference)))
      .to.not.contain('secret of one')
      .and.not.contain('open sesame')
      .and.not.contain('let me in');
    const restored = restarted(create(), reference);
    expect(restored.subscriptions()).to.deep.equal(reference.subscriptions());
    expect(restored.activeFor('invoice.paid')).to.have.length(1);
  });
});

import { subscriptionDecider } from '#command/contexts/webhooks/subscription.decider.ts';
import { webhookEvents } from '#events/webhook.events.ts';
import { given } from '../../support/given.ts';

const { WebhookSubscribed, WebhookSubscriptionChanged, WebhookSecretRegenerated, WebhookUnsubscribed } =
  webhookEvents.create;

const at = '2026-03-01T09:00:00.000Z';
const context = { at, newSecret: 'new secret' };
const topic = 'invoice.paid' as const;
const settings = {
  name: 'Warehouse system',
  targetUrl: 'https://receiver.example.com/hooks',
  isActive: true,
  authType: 'HmacSha256' as const,
  authHeaderName: null,
  authHeaderValue: null,
  timeoutSeconds: 30,
  filterExpression: null,
  headers: {},
  maxConcurrent: 32,
  standardWebhooks: false,
};
const subscribed = WebhookSubscribed({ ...settings, topic, signingSecret: 'secret', at });
const subscribe = { type: 'Subscribe', topic, settings } as const;

describe('a webhook subscription', () => {
  it('begins with a secret of its own, whatever it signs in with', () => {
    given(subscriptionDecider)
      .when(subscribe, context)
      .then([WebhookSubscribed({ ...settings, topic, signingSecret: 'new secret', at })]);
  });

  it('is not made twice', () => {
    given(subscriptionDecider, [subscribed]).when(subscribe, context).thenNothing();
    given(subscriptionDecider, [subscribed])
      .when({ ...subscribe, topic: 'order.created' }, context)
      .thenRefused('already-exists');
  });

  const unusable = [
    { authType: 'BearerToken', authHeaderValue: null },
    { authType: 'ApiKey', authHeaderValue: null },
    { authType: 'BearerToken', authHeaderValue: 'a\r\nX-Evil: 1' },
    { authType: 'BasicAuth', authHeaderValue: null },
    { authType: 'BasicAuth', authHeaderValue: 'no colon' },
  ] as const;
  for (const changes of unusable) {
    const value = JSON.stringify(changes.authHeaderValue);
    it(`cannot sign in with ${changes.authType} and ${value}`, () => {
      given(subscriptionDecider)
        .when({ ...subscribe, settings: { ...settings, ...changes } }, context)
        .thenRefused('invalid-request');
      given(subscriptionDecider, [subscribed])
        .when({ type: 'ChangeSubscription', changes }, context)
        .thenRefused('invalid-request');
    });
  }

  for (const authType of ['None', 'BearerToken', 'ApiKey', 'BasicAuth'] as const) {
    const changes = { authType, authHeaderValue: 'user:password' } as const;
    it(`is not signed as Standard Webhooks has it with ${authType}`, () => {
      const standard = { ...settings, standardWebhooks: true };
      given(subscriptionDecider)
        .when({ ...subscribe, settings: { ...standard, ...changes } }, context)
        .thenRefused('invalid-request');
      given(subscriptionDecider, [WebhookSubscribed({ ...standard, topic, signingSecret: 'secret', at })])
        .when({ type: 'ChangeSubscription', changes }, context)
        .thenRefused('invalid-request');
    });
  }

  it('changes what is given and keeps the rest, its topic and its secret', () => {
    const changes = { isActive: false, authType: 'BasicAuth', authHeaderValue: 'zoë:pässword' } as const;
    given(subscriptionDecider, [subscribed])
      .when({ type: 'ChangeSubscription', changes }, context)
      .then([WebhookSubscriptionChanged({ ...settings, ...changes, at })]);
    given(subscriptionDecider, [subscribed])
      .when({ type: 'ChangeSubscription', changes: { isActive: true } }, context)
      .thenNothing();
  });

  it('gets a new secret whenever it is asked for', () => {
    given(subscriptionDecider, [subscribed])
      .when({ type: 'RegenerateSecret' }, context)
      .then([WebhookSecretRegenerated({ signingSecret: 'new secret', at })]);
  });

  it('is gone once it has ended', () => {
    given(subscriptionDecider, [subscribed])
      .when({ type: 'Unsubscribe' }, context)
      .then([WebhookUnsubscribed({ at })]);
    const ended = [subscribed, WebhookUnsubscribed({ at })];
    for (const command of [
      { type: 'Unsubscribe' },
      { type: 'RegenerateSecret' },
      { type: 'ChangeSubscription', changes: {} },
    ] as const) {
      given(subscriptionDecider, ended).when(command, context).thenRefused('entity-not-found');
    }
  });
});

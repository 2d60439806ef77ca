import { isSigning, webhookEvents, type WebhookEvent } from '#events/webhook.events.ts';
import type { Decider } from '#kernel/decider.ts';
import type { Evolution } from '#kernel/evolution.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { TopicKey } from '#topics/topics.ts';
import { keptAddress } from '#values/secret-address.ts';
import { isHeaderValue, MASK, unmaskedHeaders } from '#values/webhook-headers.ts';
import type { SubscriptionCommand, SubscriptionSettings } from './subscription.commands.ts';

const { WebhookSubscribed, WebhookSubscriptionChanged, WebhookSecretRegenerated, WebhookUnsubscribed } =
  webhookEvents.create;

export interface ActiveSubscription {
  readonly status: 'subscribed';
  readonly topic: TopicKey;
  readonly settings: SubscriptionSettings;
  readonly signingSecret: string;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

export type SubscriptionState =
  | { readonly status: 'absent' }
  | ActiveSubscription
  | { readonly status: 'unsubscribed' };

export interface SubscriptionContext {
  readonly at: string;
  /** Random, for a subscription or a regeneration that needs one. */
  readonly newSecret: string;
}

type AuthSettings = Pick<SubscriptionSettings, 'authType' | 'authHeaderValue' | 'standardWebhooks'>;

const credentialProblems = ({ authType, authHeaderValue }: AuthSettings): readonly string[] => {
  switch (authType) {
    case 'BearerToken':
    case 'ApiKey': {
      const isUsable = authHeaderValue !== null && isHeaderValue(authHeaderValue);
      return isUsable ? [] : [`authHeaderValue: must be a value that fits into a header for ${authType}`];
    }
    case 'BasicAuth':
      return authHeaderValue?.includes(':') ? [] : ['authHeaderValue: must be <user>:<password>'];
    case 'None':
    case 'HmacSha256':
    case 'HmacSha512':
      return [];
  }
};

/** What is wrong with the settings as a whole (docs/rules/webhooks.md#credentials). */
export const settingsProblems = (settings: AuthSettings): readonly string[] => {
  const isUnsigned = settings.standardWebhooks && !isSigning(settings.authType);
  return [
    ...credentialProblems(settings),
    ...(isUnsigned ? ['standardWebhooks: must be false unless authType is HmacSha256 or HmacSha512'] : []),
  ];
};

/** The settings that are asked for, with the address and the values of headers that came as they are shown. */
const wanted = (asked: SubscriptionSettings, before: SubscriptionSettings | null): SubscriptionSettings => {
  const { headers, unknown } = unmaskedHeaders(asked.headers, before?.headers ?? {});
  refuseProblems(unknown.map((name) => `headers.${name}: ${MASK} keeps a value, and there is none yet`));
  return { ...asked, headers, targetUrl: keptAddress(asked.targetUrl, before?.targetUrl) };
};

const subscribed = (state: SubscriptionState): ActiveSubscription => {
  if (state.status !== 'subscribed') throw notFound('webhook subscription');
  return state;
};

const decide = (
  state: SubscriptionState,
  command: SubscriptionCommand,
  { at, newSecret }: SubscriptionContext,
): readonly WebhookEvent[] => {
  switch (command.type) {
    case 'Subscribe': {
      const { topic } = command;
      const settings = wanted(command.settings, null);
      if (state.status === 'subscribed') {
        if (state.topic === topic && isSameJson(state.settings, settings)) return [];
        throw new Rejection('already-exists', 'This webhook subscription already exists.');
      }
      refuseProblems(settingsProblems(settings));
      return [WebhookSubscribed({ ...settings, topic, signingSecret: newSecret, at })];
    }
    case 'ChangeSubscription': {
      const before = subscribed(state).settings;
      const settings = wanted({ ...before, ...command.changes }, before);
      refuseProblems(settingsProblems(settings));
      return isSameJson(before, settings) ? [] : [WebhookSubscriptionChanged({ ...settings, at })];
    }
    case 'RegenerateSecret':
      subscribed(state);
      return [WebhookSecretRegenerated({ signingSecret: newSecret, at })];
    case 'Unsubscribe':
      subscribed(state);
      return [WebhookUnsubscribed({ at })];
  }
};

const on: Evolution<SubscriptionState, WebhookEvent> = {
  WebhookSubscribed: (_, { data: { at, topic, signingSecret, ...settings } }) => {
    const dates = { dateCreated: at, dateUpdated: at };
    return { status: 'subscribed', topic: topic as TopicKey, settings, signingSecret, ...dates };
  },
  WebhookSubscriptionChanged: (state, { data: { at, ...settings } }) =>
    state.status === 'subscribed' ? { ...state, settings, dateUpdated: at } : state,
  WebhookSecretRegenerated: (state, { data: { at, signingSecret } }) =>
    state.status === 'subscribed' ? { ...state, signingSecret, dateUpdated: at } : state,
  WebhookUnsubscribed: (state) => (state.status === 'subscribed' ? { status: 'unsubscribed' } : state),
};

/** Webhook subscriptions (docs/rules/webhooks.md#subscriptions). */
export const subscriptionDecider: Decider<
  SubscriptionState,
  SubscriptionCommand,
  WebhookEvent,
  SubscriptionContext
> = {
  category: 'webhookSubscription',
  initial: () => ({ status: 'absent' }),
  decide,
  on,
  remembersCommands: true,
};

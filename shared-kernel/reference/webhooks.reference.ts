import type { WebhookEvent } from '#events/webhook.events.ts';
import { idOf } from '#values/stream-name.ts';
import type { TopicKey } from '#topics/topics.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import type { TextCipher } from '#values/text-cipher.ts';

type Subscribed = Extract<WebhookEvent, { readonly type: 'WebhookSubscribed' }>['data'];

/** A webhook subscription as it is now, credentials in clear. */
export interface WebhookSubscription extends Omit<Subscribed, 'at' | 'topic'> {
  readonly id: string;
  readonly topic: TopicKey;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

export interface WebhookReference {
  subscription(id: string): WebhookSubscription | undefined;
  /** The active ones of a topic, oldest first. */
  activeFor(topic: TopicKey): readonly WebhookSubscription[];
  /** All of them, oldest first. */
  subscriptions(): readonly WebhookSubscription[];
}

/** A subscription as a snapshot keeps it: its credentials sealed. */
interface KeptSubscription extends Omit<WebhookSubscription, 'signingSecret' | 'authHeaderValue'> {
  readonly sealedSecret: string;
  readonly sealedHeaderValue: string | null;
  /** Releases before kept `headers` in clear; a newer one leaves them empty. */
  readonly sealedHeaders?: string;
}

const keep = (
  { signingSecret, authHeaderValue, headers, ...plain }: WebhookSubscription,
  cipher: TextCipher,
): KeptSubscription => ({
  ...plain,
  headers: {},
  sealedHeaders: cipher.seal(JSON.stringify(headers)),
  sealedSecret: cipher.seal(signingSecret),
  sealedHeaderValue: authHeaderValue === null ? null : cipher.seal(authHeaderValue),
});

const opened = (sealedHeaders: string, cipher: TextCipher): WebhookSubscription['headers'] => {
  const text = cipher.open(sealedHeaders);
  return text === null ? {} : (JSON.parse(text) as WebhookSubscription['headers']);
};

/** What no key opens any more is empty: signatures made with it fail, until a new secret is made. */
const unkeep = (
  { sealedSecret, sealedHeaderValue, sealedHeaders, headers, ...plain }: KeptSubscription,
  cipher: TextCipher,
): WebhookSubscription => ({
  ...plain,
  headers: sealedHeaders === undefined ? headers : opened(sealedHeaders, cipher),
  signingSecret: cipher.open(sealedSecret) ?? '',
  authHeaderValue: sealedHeaderValue === null ? null : cipher.open(sealedHeaderValue),
});

type Changes = Partial<Omit<Subscribed, 'topic' | 'at'>> & Pick<Subscribed, 'at'>;

/**
 * Webhook subscriptions, by topic. The one part of reference state that holds secrets: they are in clear in memory
 * only, and sealed by `cipher` in its snapshot.
 */
export const createWebhookReference = (cipher: TextCipher): WebhookReference & ReferencePart => {
  const byId = new Map<string, WebhookSubscription>();
  let active: ReadonlyMap<string, readonly WebhookSubscription[]> | null = null;
  const indexed = (): ReadonlyMap<string, readonly WebhookSubscription[]> =>
    (active ??= Map.groupBy(
      [...byId.values()].filter(({ isActive }) => isActive),
      ({ topic }) => topic,
    ));
  const put = (subscription: WebhookSubscription): void => {
    byId.set(subscription.id, subscription);
    active = null;
  };
  const change = ({ stream, data }: { stream: string; data: Changes }): void => {
    const found = byId.get(idOf(stream));
    const { at, ...changed } = data;
    if (found) put({ ...found, ...changed, dateUpdated: at });
  };
  const on: Fold<WebhookEvent> = {
    WebhookSubscribed: ({ stream, data: { at, topic, ...settings } }) =>
      put({
        ...settings,
        id: idOf(stream),
        topic: topic as TopicKey,
        dateCreated: at,
        dateUpdated: at,
      }),
    WebhookSubscriptionChanged: change,
    WebhookSecretRegenerated: change,
    WebhookUnsubscribed: ({ stream }) => {
      byId.delete(idOf(stream));
      active = null;
    },
  };
  return {
    subscription: (id) => byId.get(id),
    activeFor: (topic) => indexed().get(topic) ?? [],
    subscriptions: () => [...byId.values()],
    name: 'webhooks',
    version: 1,
    on,
    snapshot: (): readonly KeptSubscription[] => [...byId.values()].map((one) => keep(one, cipher)),
    restore: (snapshot) => {
      byId.clear();
      for (const kept of snapshot as readonly KeptSubscription[]) byId.set(kept.id, unkeep(kept, cipher));
      active = null;
    },
  };
};

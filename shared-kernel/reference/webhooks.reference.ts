import type { WebhookEvent } from '#events/webhook.events.ts';
import { idOf } from '#values/stream-name.ts';
import type { TopicKey } from '#topics/topics.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';
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
  /** Tells of each subscription that is changed or deleted from now on, afterwards. */
  onChanged(listener: (id: string) => void): void;
}

/** A subscription as a snapshot keeps it: its credentials sealed. */
interface KeptSubscription extends Omit<
  WebhookSubscription,
  'signingSecret' | 'authHeaderValue' | 'headers'
> {
  readonly sealedSecret: string;
  readonly sealedHeaderValue: string | null;
  readonly sealedHeaders: string;
}

const keep = (
  { signingSecret, authHeaderValue, headers, ...plain }: WebhookSubscription,
  cipher: TextCipher,
): KeptSubscription => ({
  ...plain,
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
  { sealedSecret, sealedHeaderValue, sealedHeaders, ...plain }: KeptSubscription,
  cipher: TextCipher,
): WebhookSubscription => ({
  ...plain,
  headers: opened(sealedHeaders, cipher),
  signingSecret: cipher.open(sealedSecret) ?? '',
  authHeaderValue: sealedHeaderValue === null ? null : cipher.open(sealedHeaderValue),
});

type Changes = Partial<Omit<Subscribed, 'topic' | 'at'>> & Pick<Subscribed, 'at'>;

/**
 * Webhook subscriptions, by topic. Their secrets are in clear in memory only, and sealed by `cipher` in the snapshot.
 */
export const createWebhookReference = (cipher: TextCipher): WebhookReference & ReferencePart => {
  const entries = new ChunkedEntries<WebhookSubscription>({
    keep: (subscription) => keep(subscription, cipher),
    isOrdered: true,
  });
  let active: ReadonlyMap<string, readonly WebhookSubscription[]> | null = null;
  const indexed = (): ReadonlyMap<string, readonly WebhookSubscription[]> =>
    (active ??= Map.groupBy(
      [...entries.values()].filter(({ isActive }) => isActive),
      ({ topic }) => topic,
    ));
  const listeners: ((id: string) => void)[] = [];
  const tell = (id: string): void => {
    for (const listener of listeners) listener(id);
  };
  const put = (subscription: WebhookSubscription): void => {
    entries.set(subscription.id, subscription);
    active = null;
  };
  const change = ({ stream, data }: { stream: string; data: Changes }): void => {
    const found = entries.get(idOf(stream));
    const { at, ...changed } = data;
    if (!found) return;
    put({ ...found, ...changed, dateUpdated: at });
    tell(found.id);
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
      entries.delete(idOf(stream));
      active = null;
      tell(idOf(stream));
    },
  };
  return {
    subscription: (id) => entries.get(id),
    activeFor: (topic) => indexed().get(topic) ?? [],
    subscriptions: () => [...entries.values()],
    onChanged: (listener) => void listeners.push(listener),
    name: 'webhooks',
    version: 3,
    on,
    entries,
    restore: (kept) => {
      for (const [, subscription] of kept) put(unkeep(subscription as KeptSubscription, cipher));
    },
    clear: () => {
      active = null;
    },
  };
};

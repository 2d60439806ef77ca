import type { WebhookEvent } from '#events/webhook.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { idOf } from '#values/stream-name.ts';
import type { TopicKey } from '#topics/topics.ts';
import type { ReferencePart } from './reference-part.ts';

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

/** Turns a text into one that only this shop can read, and back; null when it cannot be read. */
export interface SecretBox {
  seal(text: string): string;
  open(sealed: string): string | null;
}

/** A subscription as it lies in a snapshot: its credentials sealed. */
interface KeptSubscription extends Omit<WebhookSubscription, 'signingSecret' | 'authHeaderValue'> {
  readonly sealedSecret: string;
  readonly sealedHeaderValue: string | null;
  /** Releases before kept `headers` in clear; a newer one leaves them empty. */
  readonly sealedHeaders?: string;
}

const keep = (
  { signingSecret, authHeaderValue, headers, ...plain }: WebhookSubscription,
  box: SecretBox,
): KeptSubscription => ({
  ...plain,
  headers: {},
  sealedHeaders: box.seal(JSON.stringify(headers)),
  sealedSecret: box.seal(signingSecret),
  sealedHeaderValue: authHeaderValue === null ? null : box.seal(authHeaderValue),
});

const opened = (sealedHeaders: string, box: SecretBox): WebhookSubscription['headers'] => {
  const text = box.open(sealedHeaders);
  return text === null ? {} : (JSON.parse(text) as WebhookSubscription['headers']);
};

/** What no key opens any more is empty: signatures made with it fail, until a new secret is made. */
const unkeep = (
  { sealedSecret, sealedHeaderValue, sealedHeaders, headers, ...plain }: KeptSubscription,
  box: SecretBox,
): WebhookSubscription => ({
  ...plain,
  headers: sealedHeaders === undefined ? headers : opened(sealedHeaders, box),
  signingSecret: box.open(sealedSecret) ?? '',
  authHeaderValue: sealedHeaderValue === null ? null : box.open(sealedHeaderValue),
});

const evolve = (
  found: WebhookSubscription | undefined,
  event: Recorded<WebhookEvent>,
): WebhookSubscription | undefined => {
  if (event.type === 'WebhookUnsubscribed') return undefined;
  if (event.type === 'WebhookSubscribed') {
    const { at, topic, ...settings } = event.data;
    return {
      ...settings,
      id: idOf(event.stream),
      topic: topic as TopicKey,
      dateCreated: at,
      dateUpdated: at,
    };
  }
  const { at, ...changed } = event.data;
  return found && { ...found, ...changed, dateUpdated: at };
};

/**
 * Webhook subscriptions, by topic. The one part of reference state that holds secrets: they are in clear in memory
 * only, and sealed by `box` in its snapshot.
 */
export const createWebhookReference = (box: SecretBox): WebhookReference & ReferencePart => {
  const byId = new Map<string, WebhookSubscription>();
  let active: ReadonlyMap<string, readonly WebhookSubscription[]> | null = null;
  const indexed = (): ReadonlyMap<string, readonly WebhookSubscription[]> =>
    (active ??= Map.groupBy(
      [...byId.values()].filter(({ isActive }) => isActive),
      ({ topic }) => topic,
    ));
  return {
    subscription: (id) => byId.get(id),
    activeFor: (topic) => indexed().get(topic) ?? [],
    subscriptions: () => [...byId.values()],
    name: 'webhooks',
    version: 1,
    eventTypes: [
      'WebhookSubscribed',
      'WebhookSubscriptionChanged',
      'WebhookSecretRegenerated',
      'WebhookUnsubscribed',
    ],
    apply: (event) => {
      const id = idOf(event.stream);
      const subscription = evolve(byId.get(id), event as Recorded<WebhookEvent>);
      if (subscription) byId.set(id, subscription);
      else byId.delete(id);
      active = null;
    },
    snapshot: (): readonly KeptSubscription[] => [...byId.values()].map((one) => keep(one, box)),
    restore: (snapshot) => {
      byId.clear();
      for (const kept of snapshot as readonly KeptSubscription[]) byId.set(kept.id, unkeep(kept, box));
      active = null;
    },
  };
};

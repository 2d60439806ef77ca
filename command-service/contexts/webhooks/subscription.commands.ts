import type { WebhookAuthType } from '#events/webhook.events.ts';
import type { TopicKey } from '#topics/topics.ts';

/** What a subscriber may set and change; `null` where not set. */
export interface SubscriptionSettings {
  readonly name: string;
  readonly targetUrl: string;
  readonly isActive: boolean;
  readonly authType: WebhookAuthType;
  readonly authHeaderName: string | null;
  readonly authHeaderValue: string | null;
  readonly timeoutSeconds: number;
  readonly filterExpression: string | null;
  readonly headers: Record<string, string>;
  readonly maxConcurrent: number;
  readonly standardWebhooks: boolean;
}

export interface Subscribe {
  readonly type: 'Subscribe';
  readonly topic: TopicKey;
  readonly settings: SubscriptionSettings;
}

/** Replaces the given settings; the topic stays. */
export interface ChangeSubscription {
  readonly type: 'ChangeSubscription';
  readonly changes: Partial<SubscriptionSettings>;
}

/** Makes a new signing secret; the old one signs nothing more. */
export interface RegenerateSecret {
  readonly type: 'RegenerateSecret';
}

export interface Unsubscribe {
  readonly type: 'Unsubscribe';
}

export type SubscriptionCommand = Subscribe | ChangeSubscription | RegenerateSecret | Unsubscribe;

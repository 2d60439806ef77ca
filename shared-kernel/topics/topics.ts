import type { Recorded } from '#kernel/event.ts';
import { basketTopics } from './basket.topics.ts';
import { checkoutRecoveryTopics } from './checkout-recovery.topics.ts';
import { customerTopics } from './customer.topics.ts';
import { digitalTopics } from './digital.topics.ts';
import { discountTopics } from './discount.topics.ts';
import { fulfilmentTopics } from './fulfilment.topics.ts';
import { inventoryTopics } from './inventory.topics.ts';
import { invoiceTopics } from './invoice.topics.ts';
import { orderTopics } from './order.topics.ts';
import { productTopics } from './product.topics.ts';
import { shipmentTopics } from './shipment.topics.ts';
import type { Announcement, Topic, TopicContext } from './topic.ts';

const categories = [
  basketTopics,
  checkoutRecoveryTopics,
  customerTopics,
  digitalTopics,
  discountTopics,
  fulfilmentTopics,
  inventoryTopics,
  invoiceTopics,
  orderTopics,
  productTopics,
  shipmentTopics,
] as const;

type KeysOf<Category> = Category extends { readonly topics: infer Topics } ? keyof Topics & string : never;

/** The topics that an integrator can subscribe to (docs/rules/webhooks.md#topics). */
export type TopicKey = KeysOf<(typeof categories)[number]>;

/** A topic with its category. `on`: by event type, as `Topic` has it. */
export type NamedTopic = Omit<Topic, 'on'> & { readonly category: string; readonly on: object };

export const namedTopics: ReadonlyMap<TopicKey, NamedTopic> = new Map(
  categories.flatMap(({ category, topics }) =>
    Object.entries<Omit<NamedTopic, 'category'>>(topics).map(
      ([key, topic]) => [key as TopicKey, { ...topic, category }] as const,
    ),
  ),
);

export const topicKeys = [...namedTopics.keys()];

export const isTopicKey = (key: string): key is TopicKey =>
  (namedTopics as ReadonlyMap<string, NamedTopic>).has(key);

/** What people call a topic. */
export const displayNameOf = (key: TopicKey): string => namedTopics.get(key)?.displayName ?? key;

/** What one event has to say under one topic. */
export interface TopicMessage {
  readonly topic: TopicKey;
  readonly entityType: string;
  readonly entityId: string;
  /** With decimals for money. */
  readonly data: Readonly<Record<string, unknown>>;
}

type Row = readonly [
  { readonly topic: TopicKey; readonly entityType: string },
  (event: never, context: TopicContext) => Announcement | readonly Announcement[] | null,
];

const rowsByType: ReadonlyMap<string, readonly Row[]> = new Map(
  [
    ...Map.groupBy(
      [...namedTopics].flatMap(([key, { entityType, on }]) =>
        Object.entries(on).map(([type, say]) => ({
          type,
          row: [{ topic: key, entityType }, say] as Row,
        })),
      ),
      ({ type }) => type,
    ),
  ].map(([type, entries]) => [type, entries.map(({ row }) => row)] as const),
);

/** The types of the events that have something to say, and under which topics. */
export const announcedEventTypes: ReadonlyMap<string, readonly TopicKey[]> = new Map(
  [...rowsByType].map(([type, rows]) => [type, rows.map(([{ topic }]) => topic)]),
);

const announcedByOthers = new Set<string>(
  [...namedTopics.values()].flatMap(({ announces = [] }) => announces),
);

/** Whether webhooks go out because of events of a type, be it with the event that follows them. */
export const isAnnounced = (type: string): boolean => rowsByType.has(type) || announcedByOthers.has(type);

/** Everything that an event has to say. Pure: a replay says the same. */
export const messagesOf = (event: Recorded, context: TopicContext): readonly TopicMessage[] =>
  (rowsByType.get(event.type) ?? []).flatMap(([{ topic, entityType }, say]) => {
    const said = say(event as never, context) ?? [];
    const announcements: readonly Announcement[] = 'entityId' in said ? [said] : said;
    return announcements.map(({ entityId, data }) => {
      return { topic, entityType, entityId, data: data as TopicMessage['data'] };
    });
  });

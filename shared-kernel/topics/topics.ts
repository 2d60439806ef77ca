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

const named: ReadonlyMap<string, Topic & { readonly category: string }> = new Map(
  categories.flatMap(({ category, topics }) =>
    Object.entries<Topic>(topics).map(([key, topic]) => [key, { ...topic, category }] as const),
  ),
);

export const topicKeys = [...named.keys()] as readonly TopicKey[];

export const isTopicKey = (key: string): key is TopicKey => named.has(key);

/** What people call a topic. */
export const displayNameOf = (key: TopicKey): string => named.get(key)?.displayName ?? key;

/** What one event has to say under one topic. */
export interface TopicMessage extends Announcement {
  readonly topic: TopicKey;
}

type Row = readonly [
  TopicKey,
  (event: never, context: TopicContext) => Announcement | readonly Announcement[] | null,
];

const rowsByType: ReadonlyMap<string, readonly Row[]> = new Map(
  [
    ...Map.groupBy(
      topicKeys.flatMap((key) =>
        Object.entries(named.get(key)?.on ?? {}).map(([type, say]) => ({ type, row: [key, say] as Row })),
      ),
      ({ type }) => type,
    ),
  ].map(([type, entries]) => [type, entries.map(({ row }) => row)] as const),
);

/** The types of the events that have something to say, and under which topics. */
export const announcedEventTypes: ReadonlyMap<string, readonly TopicKey[]> = new Map(
  [...rowsByType].map(([type, rows]) => [type, rows.map(([topic]) => topic)]),
);

const announcedByOthers = new Set<string>([...named.values()].flatMap(({ announces = [] }) => announces));

/** Whether webhooks go out because of events of a type, be it with the event that follows them. */
export const isAnnounced = (type: string): boolean => rowsByType.has(type) || announcedByOthers.has(type);

/** Everything that an event has to say. Pure: a replay says the same. */
export const messagesOf = (event: Recorded, context: TopicContext): readonly TopicMessage[] =>
  (rowsByType.get(event.type) ?? []).flatMap(([topic, say]) => {
    const said = say(event as never, context) ?? [];
    const announcements: readonly Announcement[] = 'entityId' in said ? [said] : said;
    return announcements.map((announcement) => ({ topic, ...announcement }));
  });

/** A topic as the management API shows it. `samplePayload`: the `data` of an envelope, as JSON text. */
export interface TopicRecord {
  readonly key: TopicKey;
  readonly displayName: string;
  readonly description: string;
  readonly category: string;
  readonly samplePayload: string;
}

const ordinal = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export const topicRecords: readonly TopicRecord[] = [...named]
  .map(([key, { category, displayName, description, sample }]) => ({
    key: key as TopicKey,
    displayName,
    description,
    category,
    samplePayload: JSON.stringify(sample),
  }))
  .sort((one, other) => ordinal(one.category, other.category) || ordinal(one.displayName, other.displayName));

export const topicsByCategory: readonly { readonly name: string; readonly topics: readonly TopicRecord[] }[] =
  [...Map.groupBy(topicRecords, ({ category }) => category)].map(([name, topics]) => ({ name, topics }));

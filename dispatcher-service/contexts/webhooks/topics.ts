import type { DomainEvent, Recorded } from '#kernel/event.ts';
import type { ShopEvent } from '#events/registry.ts';
import { namedTopic, topicKeys, type TopicKey } from '#values/webhook-topics.ts';
import type { TopicMessage } from './envelope.ts';
import * as payload from './payloads.ts';
import { samplePayloads } from './sample-payloads.ts';

type Told = (event: never, context: payload.PayloadContext) => readonly payload.Told[];

/** What an event says, topic by topic. The order is part of the deliveries' ids: new ones are added at the end. */
type TopicTable = {
  readonly [Type in ShopEvent['type']]?: readonly (readonly [
    TopicKey,
    (
      event: Recorded<Extract<ShopEvent, DomainEvent<Type>>>,
      context: payload.PayloadContext,
    ) => readonly payload.Told[],
  ])[];
};

/** Event type → topics → what each is told (decisions, backoffice 1.6; management 9). */
const table = {
  BasketLineAdded: [
    ['basket.created', payload.basketCreated],
    ['basket.updated', payload.itemAdded],
  ],
  BasketLineQuantityChanged: [['basket.updated', payload.itemQuantityChanged]],
  BasketLineRemoved: [['basket.updated', payload.itemRemoved]],
  BasketCleared: [['basket.updated', payload.basketCleared]],
  // A sale is announced once, when it is confirmed, whenever its invoice was created.
  SaleConfirmed: [
    ['invoice.created', payload.invoiceCreated],
    ['order.created', payload.orderCreated],
  ],
  PaymentCaptured: [['invoice.paid', payload.invoicePaid]],
  OrderStatusChanged: [['order.status_changed', payload.orderStatusChanged]],
  StockReserved: [['inventory.reserved', payload.inventoryReserved]],
  CustomerRegistered: [['customer.created', payload.customerCreated]],
} satisfies TopicTable;

const rows: ReadonlyMap<string, readonly (readonly [TopicKey, Told])[]> = new Map(Object.entries(table));

/** The types of the events that have something to say, and under which topics. */
export const announcedEventTypes: ReadonlyMap<string, readonly TopicKey[]> = new Map(
  [...rows].map(([type, told]) => [type, told.map(([topic]) => topic)]),
);

/** Everything that an event has to say, always in the same order. Pure: a replay says the same. */
export const messagesOf = (event: Recorded, context: payload.PayloadContext): readonly TopicMessage[] =>
  (rows.get(event.type) ?? []).flatMap(([topic, told]) =>
    told(event as never, context).map((message) => ({ topic, ...message })),
  );

/** A topic as the management API shows it. `samplePayload`: the `data` of an envelope, as JSON text. */
export interface TopicRecord {
  readonly key: TopicKey;
  readonly displayName: string;
  readonly description: string;
  readonly category: string;
  readonly samplePayload: string;
}

const ordinal = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** All 36, by category and display name. */
export const topicRecords: readonly TopicRecord[] = topicKeys
  .map((key) => ({ key, ...namedTopic(key), samplePayload: JSON.stringify(samplePayloads[key]) }))
  .sort((one, other) => ordinal(one.category, other.category) || ordinal(one.displayName, other.displayName));

/** The topics of each category, categories by name. */
export const topicsByCategory: readonly { readonly name: string; readonly topics: readonly TopicRecord[] }[] =
  [...Map.groupBy(topicRecords, ({ category }) => category)].map(([name, topics]) => ({ name, topics }));

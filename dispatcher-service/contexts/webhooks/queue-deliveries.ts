import { deliveriesCollection, type Delivery } from '#topics/webhook-delivery.ts';
import type { WebhookEvent } from '#events/webhook.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { evolve, unchanged, type Evolution } from '#kernel/evolution.ts';
import { idOf } from '#values/stream-name.ts';
import type { WebhookHealthEvent } from '#events/webhook-health.events.ts';
import { staffEventTypes, staffMessageOf, type StaffMessage } from '#topics/staff.topics.ts';
import type { TopicKey, TopicMessage } from '#topics/topics.ts';
import type { Circumstances, LogMapping } from '../../engine/follow-log.ts';
import type { Outgoing } from '../../engine/outgoing-batch.ts';
import type { SealedEvent } from '../../engine/sealed-events.ts';
import { newDelivery, type DeliverySettings } from './delivery.ts';
import { deliveryIdsOf } from './delivery-id.ts';
import type { DeliveryRow } from './delivery-rows.ts';
import { bodyOf, envelopeOf, type Envelope } from './envelope.ts';
import type { FilterMatcher } from './filter.ts';

/** Under which the follower keeps how far it has come. */
export const WEBHOOK_DELIVERIES = 'webhook-deliveries';

/** What decides whether a subscription gets a message. */
interface Subscriber {
  readonly id: string;
  readonly topic: string;
  readonly isActive: boolean;
  readonly filterExpression: string | null;
}

/** Who had subscribed at a position of the log, oldest first. */
export type Subscribers = readonly Subscriber[];

export interface QueueDeliveriesOptions {
  /** What an event has to say; the topics' table. */
  readonly messagesOf: (event: Recorded) => readonly TopicMessage[];
  /** The types about which it has something to say, and under which topics. */
  readonly eventTypes: ReadonlyMap<string, readonly TopicKey[]>;
  readonly matches: FilterMatcher;
  readonly settings: Pick<DeliverySettings, 'maxPayloadSizeBytes'>;
  /** Who is sent what staff are told of; null: they are told otherwise. */
  readonly staffReceiver: string | null;
}

/** A delivery on its way out. */
export interface OutgoingDelivery extends Outgoing {
  readonly delivery: Delivery;
}

const on: Evolution<Subscribers, Recorded<WebhookEvent>> = {
  WebhookSubscribed: (subscribers, { stream, data: { topic, isActive, filterExpression } }) => [
    ...subscribers,
    { id: idOf(stream), topic, isActive, filterExpression },
  ],
  WebhookSubscriptionChanged: (subscribers, { stream, data: { isActive, filterExpression } }) =>
    subscribers.map((one) => (one.id === idOf(stream) ? { ...one, isActive, filterExpression } : one)),
  WebhookSecretRegenerated: unchanged,
  WebhookUnsubscribed: (subscribers, { stream }) => subscribers.filter(({ id }) => id !== idOf(stream)),
};

const byTopic = new WeakMap<Subscribers, ReadonlyMap<string, readonly Subscriber[]>>();

const activeFor = (subscribers: Subscribers, topic: TopicKey): readonly Subscriber[] => {
  const known = byTopic.get(subscribers);
  const indexed =
    known ??
    Map.groupBy(
      subscribers.filter(({ isActive }) => isActive),
      (one) => one.topic,
    );
  if (!known) byTopic.set(subscribers, indexed);
  return indexed.get(topic) ?? [];
};

/** A delivery of what an event says, with its body in clear, and as its row: sealed for whom it is about. */
export const newRow = (
  subscriptionId: string,
  { topic, entityType, entityId }: TopicMessage | StaffMessage,
  envelope: Envelope,
  { event, seal, subject, now }: SealedEvent & Pick<Circumstances, 'now'>,
  settings: Pick<DeliverySettings, 'maxPayloadSizeBytes'>,
): { readonly delivery: Delivery; readonly row: DeliveryRow } => {
  const requestBody = bodyOf(envelope);
  const queued = { _id: envelope.id, subscriptionId, topic, entityType, entityId, requestBody };
  const delivery = newDelivery(queued, settings, now);
  const sealed = seal?.(requestBody) ?? requestBody;
  return { delivery, row: { ...delivery, requestBody: sealed, subject, position: event.position } };
};

/**
 * One delivery for each active subscription whose topic and filter match what an event has to say
 * (docs/rules/webhooks.md#filters). A subscription gets what happens after it was made, and nothing from before,
 * however late the log is read.
 */
export const queueDeliveries = ({
  messagesOf,
  eventTypes,
  matches,
  settings,
  staffReceiver,
}: QueueDeliveriesOptions): LogMapping<Subscribers> => {
  const deliveriesOf = (
    subscribers: readonly Pick<Subscriber, 'id' | 'filterExpression'>[],
    event: Recorded,
    message: TopicMessage | StaffMessage,
    idFor: ReturnType<typeof deliveryIdsOf>,
    { now, seal, subject }: Omit<Circumstances, 'hasOlderIds'>,
  ): readonly OutgoingDelivery[] =>
    subscribers.flatMap(({ id: subscriptionId, filterExpression }) => {
      const id = idFor(subscriptionId, message);
      const envelope = envelopeOf(id, message, event.recordedAt);
      if (!matches(filterExpression, envelope)) return [];
      const { row: put, delivery } = newRow(
        subscriptionId,
        message,
        envelope,
        { event, now, seal, subject },
        settings,
      );
      const writes = [{ collection: deliveriesCollection, put, position: event.position }];
      const isDue = delivery.status === 'Pending';
      return [{ delivery, writes, messages: isDue ? [{ key: subscriptionId, value: id }] : [] }];
    });

  const toStaff = (event: Recorded, receiver: string, circumstances: Omit<Circumstances, 'hasOlderIds'>) => {
    const message = staffMessageOf(event as Recorded<WebhookHealthEvent>);
    const receivers = [{ id: receiver, filterExpression: null }];
    return deliveriesOf(receivers, event, message, deliveryIdsOf(event, [], false), circumstances);
  };

  return {
    name: WEBHOOK_DELIVERIES,
    eventTypes: (subscribers) => {
      const announced = [...eventTypes].filter(([, topics]) =>
        topics.some((topic) => activeFor(subscribers, topic).length > 0),
      );
      const toldToStaff = staffReceiver === null ? [] : staffEventTypes.keys();
      return new Set([...Object.keys(on), ...announced.map(([type]) => type), ...toldToStaff]);
    },
    initial: [],
    evolve: (subscribers, event) => evolve(on, subscribers, event as Recorded<WebhookEvent>),
    outgoing: (subscribers, event, { hasOlderIds, ...circumstances }) => {
      if (staffReceiver !== null && staffEventTypes.has(event.type))
        return toStaff(event, staffReceiver, circumstances);
      const all = messagesOf(event);
      const idFor = deliveryIdsOf(event, all, hasOlderIds);
      return all.flatMap((message) =>
        deliveriesOf(activeFor(subscribers, message.topic), event, message, idFor, circumstances),
      );
    },
  };
};

import { derivedId } from '#kernel/ids.ts';
import type { StaffMessage } from '#topics/staff.topics.ts';
import type { TopicKey, TopicMessage } from '#topics/topics.ts';
import { timedId } from '../../engine/timed-id.ts';

type Message = Pick<TopicMessage | StaffMessage, 'topic' | 'entityId'>;

const idFrom = (eventId: string, ...parts: readonly (string | number)[]): string =>
  timedId(eventId, derivedId('delivery', ...parts));

/**
 * One per subscription, event, topic and subject, so that a log read twice delivers once, whatever topics are added.
 */
export const deliveryIdOf = (subscriptionId: string, eventId: string, { topic, entityId }: Message): string =>
  idFrom(eventId, subscriptionId, eventId, topic, entityId);

/** The topics under which older releases announced anything, in their order. Later ones do not belong here. */
const countedTopics: readonly TopicKey[] = [
  'basket.created',
  'basket.updated',
  'customer.created',
  'inventory.reserved',
  'invoice.created',
  'invoice.paid',
  'order.created',
  'order.status_changed',
];

/**
 * As older releases did it, which counted an event's messages: for events that they may have dealt with, so that an
 * upgrade in the middle of a backlog delivers nothing twice.
 */
const olderDeliveryIdOf = (
  subscriptionId: string,
  eventId: string,
  message: Message,
  all: readonly Message[],
): string => {
  const counted = countedTopics.flatMap((topic) => all.filter((one) => one.topic === topic));
  const index = counted.indexOf(message);
  return index < 0
    ? deliveryIdOf(subscriptionId, eventId, message)
    : idFrom(eventId, subscriptionId, eventId, index);
};

/** The ids of what is made of an event. `hasOlderIds`: an older release may have made it. */
export const deliveryIdsOf =
  ({ id: eventId }: { readonly id: string }, all: readonly Message[], hasOlderIds: boolean) =>
  (subscriptionId: string, message: Message): string =>
    hasOlderIds
      ? olderDeliveryIdOf(subscriptionId, eventId, message, all)
      : deliveryIdOf(subscriptionId, eventId, message);

import { expect } from 'chai';
import { queueDeliveries, type OutgoingDelivery } from '#dispatcher/contexts/webhooks/queue-deliveries.ts';
import type { Recorded } from '#kernel/event.ts';
import type { TopicKey, TopicMessage } from '#topics/topics.ts';
import { streamOf } from '#values/stream-name.ts';
import { subscribed } from '#test/support/open-webhooks.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { inStream, recordedEvents } from '#test/support/given.ts';

const subscriptionId = '2f0a6c1e-0000-4000-8000-000000000001';
const eventId = '0197a4b2-3c4d-7000-8000-000000000001';
const now = Date.UTC(2026, 2, 1, 9);

const about = (topic: TopicKey, entity: string): TopicMessage => ({
  topic,
  entityType: 'Thing',
  entityId: idNamed(entity),
  data: {},
});
/** What a sale of two orders has to say. */
const sale = [
  about('invoice.created', 'invoice'),
  about('order.created', 'one'),
  about('order.created', 'two'),
];

/** The ids of an event's deliveries to somebody who has subscribed to a topic. */
const idsOf = (
  messages: readonly TopicMessage[],
  topic: TopicKey,
  hasOlderIds = false,
): readonly string[] => {
  const mapping = queueDeliveries({
    messagesOf: () => messages,
    eventTypes: new Map(),
    matches: () => true,
    settings: { maxPayloadSizeBytes: 1000 },
    staffReceiver: null,
  });
  const [subscription, sold] = recordedEvents(
    inStream(streamOf.webhookSubscription(subscriptionId), subscribed('https://example.com', { topic }), {
      type: 'SaleConfirmed',
      data: {},
    }),
  );
  const subscribers = mapping.evolve(mapping.initial, subscription as Recorded);
  const event = { ...(sold as Recorded), id: eventId };
  const outgoing = mapping.outgoing(subscribers, event, { now, hasOlderIds, seal: null, subject: null });
  return (outgoing as readonly OutgoingDelivery[]).map(({ delivery }) => delivery._id);
};

describe('ids of deliveries', () => {
  it('tell orders of one sale apart, and are the same in a replay', () => {
    const ids = idsOf(sale, 'order.created');
    expect(new Set(ids).size).to.equal(2);
    expect(idsOf(sale, 'order.created')).to.deep.equal(ids);
  });

  it('stay the same when other topics announce the same event, or in another order', () => {
    const more = [about('checkout.converted', 'basket'), ...sale.toReversed()];
    expect(new Set(idsOf(more, 'order.created'))).to.deep.equal(new Set(idsOf(sale, 'order.created')));
    expect(idsOf(more, 'invoice.created')).to.deep.equal(idsOf(sale, 'invoice.created'));
  });

  it('are those of the older release where it may have queued them, whatever topics there are now', () => {
    const older = {
      'invoice.created': ['0197a4b2-3c4d-8e04-bdfa-d5dee75e77f6'],
      'order.created': ['0197a4b2-3c4d-84b1-9efc-90d3a6d5a52b', '0197a4b2-3c4d-80a6-b546-a5131b8f3c69'],
    };
    const more = [about('checkout.converted', 'basket'), ...sale];
    for (const messages of [sale, more]) {
      expect(idsOf(messages, 'invoice.created', true)).to.deep.equal(older['invoice.created']);
      expect(idsOf(messages, 'order.created', true)).to.deep.equal(older['order.created']);
    }
    expect(idsOf(more, 'checkout.converted', true)).to.deep.equal(idsOf(more, 'checkout.converted'));
  });
});

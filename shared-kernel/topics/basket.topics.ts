import { toDecimal } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';
import { sampleAt, sampleCurrency, sampleId, sampleStock } from './samples.ts';
import { declareTopics, type Announcement, type EventNamed, type TopicContext } from './topic.ts';

type LineEvent = EventNamed<
  'BasketLineAdded' | 'BasketLineQuantityChanged' | 'BasketLineRemoved' | 'BasketMerged'
>;

const figures = ({ data }: LineEvent, { storeCurrency }: TopicContext) => ({
  subTotal: toDecimal(data.pricing.totals.subTotal, storeCurrency),
  total: toDecimal(data.pricing.totals.total, storeCurrency),
});

const ofBasket = (stream: string, data: Announcement['data']): Announcement => ({
  entityType: 'Basket',
  entityId: idOf(stream),
  data: { id: idOf(stream), ...data },
});

const sampleTotals = { subTotal: 24, total: 25.92 };

export const basketTopics = declareTopics('Baskets', {
  'basket.created': {
    displayName: 'Basket Created',
    description: 'A visitor puts the first product into a basket.',
    sample: {
      id: sampleId('basket'),
      customerId: sampleId('customer'),
      currency: sampleCurrency,
      ...sampleTotals,
      dateCreated: sampleAt,
    },
    // A basket's stream begins with its start and its first line, appended together.
    announces: ['BasketStarted'],
    on: {
      BasketLineAdded: (event, context) =>
        event.revision !== 1
          ? null
          : ofBasket(event.stream, {
              customerId: event.data.startedFor ?? null,
              currency: context.storeCurrency,
              ...figures(event, context),
              dateCreated: event.recordedAt,
            }),
    },
  },
  'basket.updated': {
    displayName: 'Basket Updated',
    description: 'The lines of a basket have changed.',
    sample: {
      id: sampleId('basket'),
      event: 'item.added',
      item: {
        id: sampleId('line'),
        productId: sampleStock.productId,
        sku: 'MUG-BLUE',
        name: 'Blue mug',
        quantity: 2,
      },
      ...sampleTotals,
      dateUpdated: sampleAt,
    },
    on: {
      BasketLineAdded: (event, context) => {
        const { line, quantity } = event.data;
        const { lineId: id, productId, sku, name } = line;
        const item = { id, productId, sku, name, quantity };
        const dateUpdated = event.recordedAt;
        return ofBasket(event.stream, { event: 'item.added', item, ...figures(event, context), dateUpdated });
      },
      BasketLineQuantityChanged: (event, context) => {
        const { lineId: id, productId, sku, name, oldQuantity, quantity } = event.data;
        return ofBasket(event.stream, {
          event: 'item.quantity_changed',
          item: { id, productId, sku, name, quantity },
          oldQuantity,
          newQuantity: quantity,
          ...figures(event, context),
          dateUpdated: event.recordedAt,
        });
      },
      BasketLineRemoved: (event, context) => {
        const { lineId: id, productId, sku, name, quantity } = event.data;
        const item = { id, productId, sku, name, quantity };
        const dateUpdated = event.recordedAt;
        return ofBasket(event.stream, {
          event: 'item.removed',
          item,
          ...figures(event, context),
          dateUpdated,
        });
      },
      // What came in from another basket, all of it in one message.
      BasketMerged: (event, context) => {
        const { added, grown } = event.data;
        const lines = [...added.map(({ line, quantity }) => ({ ...line, quantity })), ...grown];
        const items = lines.map(({ lineId: id, productId, sku, name, quantity }) => {
          return { id, productId, sku, name, quantity };
        });
        if (items.length === 0) return null;
        const dateUpdated = event.recordedAt;
        return ofBasket(event.stream, {
          event: 'basket.merged',
          items,
          ...figures(event, context),
          dateUpdated,
        });
      },
      BasketCleared: ({ data: { currency, customerId }, stream, recordedAt: dateUpdated }) =>
        ofBasket(stream, { event: 'basket.cleared', customerId, currency, dateUpdated }),
    },
  },
});

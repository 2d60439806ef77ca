import { z } from 'zod';
import { toDecimal } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';
import { count, currencyCode, guid, instant, money, text } from './data-fields.ts';
import { sampleAt, sampleCurrency, sampleId, sampleStock } from './samples.ts';
import { declareTopics, type EventNamed, type TopicContext } from './topic.ts';

type LineEvent = EventNamed<
  | 'BasketLineAdded'
  | 'BasketLineQuantityChanged'
  | 'BasketLineRemoved'
  | 'BasketMerged'
  | 'BasketLinesReplaced'
>;

const figures = ({ data }: LineEvent, { storeCurrency }: TopicContext) => ({
  subTotal: toDecimal(data.pricing.totals.subTotal, storeCurrency),
  total: toDecimal(data.pricing.totals.total, storeCurrency),
});

const ofBasket = <const Data extends object>(stream: string, data: Data) => ({
  entityId: idOf(stream),
  data: { id: idOf(stream), ...data },
});

const item = z.strictObject({ id: guid, productId: guid, sku: text, name: text, quantity: count });
/** What a line is of was not recorded of merges in older logs. */
const mergedItem = item.extend({
  productId: guid.nullable(),
  sku: text.nullable(),
  name: text.nullable(),
});
const totals = { subTotal: money, total: money };
/** What every change of the lines says. */
const ofLines = <const Events extends readonly [string, ...string[]]>(events: Events) => ({
  id: guid,
  event: z.enum(events),
  ...totals,
  dateUpdated: instant,
});

const created = (event: LineEvent, context: TopicContext, customerId: string | null) =>
  ofBasket(event.stream, {
    ...{ customerId, currency: context.storeCurrency },
    ...figures(event, context),
    dateCreated: event.recordedAt,
  });

const sampleTotals = { subTotal: 24, total: 25.92 };

export const basketTopics = declareTopics('Baskets', {
  'basket.created': {
    displayName: 'Basket Created',
    description: 'A visitor puts the first product into a basket.',
    entityType: 'Basket',
    schema: z.strictObject({
      ...{ id: guid, customerId: guid.nullable(), currency: currencyCode },
      ...{ ...totals, dateCreated: instant },
    }),
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
        event.revision === 1 ? created(event, context, event.data.startedFor ?? null) : null,
      BasketLinesReplaced: (event, context) => (event.revision === 1 ? created(event, context, null) : null),
    },
  },
  'basket.updated': {
    displayName: 'Basket Updated',
    description:
      'A line is added (the first one, too), removed, or changes its quantity; lines come in from another basket, or an agent names all that is to be in it, in one message; or the basket is cleared.',
    entityType: 'Basket',
    schema: z.discriminatedUnion('event', [
      z.strictObject({ ...ofLines(['item.added', 'item.removed']), item }),
      z.strictObject({
        ...ofLines(['item.quantity_changed']),
        ...{ item, oldQuantity: count, newQuantity: count },
      }),
      z.strictObject({ ...ofLines(['basket.merged']), items: z.array(mergedItem) }),
      z.strictObject({ ...ofLines(['items.replaced']), items: z.array(item.extend({ oldQuantity: count })) }),
      z.strictObject({
        ...{ id: guid, event: z.literal('basket.cleared') },
        ...{ customerId: guid.nullable(), currency: currencyCode, dateUpdated: instant },
      }),
    ]),
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
        return ofBasket(event.stream, {
          event: 'item.added',
          item: { id, productId, sku, name, quantity },
          ...figures(event, context),
          dateUpdated: event.recordedAt,
        });
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
        return ofBasket(event.stream, {
          event: 'item.removed',
          item: { id, productId, sku, name, quantity },
          ...figures(event, context),
          dateUpdated: event.recordedAt,
        });
      },
      // What came in from another basket, all of it in one message.
      BasketMerged: (event, context) => {
        const { added, grown } = event.data;
        const lines = [...added.map(({ line, quantity }) => ({ ...line, quantity })), ...grown];
        const items = lines.map(({ lineId: id, productId = null, sku = null, name = null, quantity }) => {
          return { id, productId, sku, name, quantity };
        });
        if (items.length === 0) return null;
        return ofBasket(event.stream, {
          event: 'basket.merged',
          items,
          ...figures(event, context),
          dateUpdated: event.recordedAt,
        });
      },
      // All that differs in one message; a quantity of 0 is a line that is gone.
      BasketLinesReplaced: (event, context) => {
        const { added, changed, removed } = event.data;
        const items = [
          ...added.map(({ line, quantity }) => ({ ...line, quantity, oldQuantity: 0 })),
          ...changed,
          ...removed.map((line) => ({ ...line, quantity: 0, oldQuantity: line.quantity })),
        ].map(({ lineId: id, productId, sku, name, quantity, oldQuantity }) => ({
          ...{ id, productId, sku, name, quantity, oldQuantity },
        }));
        return ofBasket(event.stream, {
          event: 'items.replaced',
          items,
          ...figures(event, context),
          dateUpdated: event.recordedAt,
        });
      },
      BasketCleared: ({ data: { currency, customerId }, stream, recordedAt: dateUpdated }) =>
        ofBasket(stream, { event: 'basket.cleared', customerId, currency, dateUpdated }),
    },
  },
});

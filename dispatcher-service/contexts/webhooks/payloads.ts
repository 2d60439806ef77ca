import type { BasketEvent } from '#events/basket.events.ts';
import type { CustomerEvent } from '#events/customer.events.ts';
import type { InventoryEvent } from '#events/inventory.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import { orderTotals } from '#events/order-totals.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { toDecimal } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';
import type { TopicMessage } from './envelope.ts';

/** What an event does not say because it is the same for the whole log. */
export interface PayloadContext {
  /** The currency of baskets. */
  readonly storeCurrency: string;
}

type Of<Event extends DomainEvent, Type extends Event['type']> = Recorded<
  Extract<Event, { readonly type: Type }>
>;

/** What is told under a topic; the topic itself is added by the table. */
export type Told = Omit<TopicMessage, 'topic'>;

type TotalledBasketEvent = Of<
  BasketEvent,
  'BasketLineAdded' | 'BasketLineQuantityChanged' | 'BasketLineRemoved'
>;

const basketFigures = ({ data }: TotalledBasketEvent, currency: string) => ({
  subTotal: toDecimal(data.pricing.totals.subTotal, currency),
  total: toDecimal(data.pricing.totals.total, currency),
});

const ofBasket = ({ stream }: Pick<Recorded, 'stream'>, data: Told['data']): Told => ({
  entityType: 'Basket',
  entityId: idOf(stream),
  data,
});

/** The first line of a basket opens it: its stream begins with the start and that line, appended together. */
export const basketCreated = (
  event: Of<BasketEvent, 'BasketLineAdded'>,
  { storeCurrency }: PayloadContext,
): readonly Told[] =>
  event.revision !== 1
    ? []
    : [
        ofBasket(event, {
          id: idOf(event.stream),
          customerId: null,
          currency: storeCurrency,
          ...basketFigures(event, storeCurrency),
          dateCreated: event.recordedAt,
        }),
      ];

export const itemAdded = (
  event: Of<BasketEvent, 'BasketLineAdded'>,
  { storeCurrency }: PayloadContext,
): readonly Told[] => {
  const { line, quantity } = event.data;
  const { lineId, productId, sku, name } = line;
  const data = {
    id: idOf(event.stream),
    event: 'item.added',
    item: { id: lineId, productId, sku, name, quantity },
    ...basketFigures(event, storeCurrency),
    dateUpdated: event.recordedAt,
  };
  return [ofBasket(event, data)];
};

export const itemQuantityChanged = (
  event: Of<BasketEvent, 'BasketLineQuantityChanged'>,
  { storeCurrency }: PayloadContext,
): readonly Told[] => {
  const { lineId, productId, sku, name, oldQuantity, quantity } = event.data;
  const data = {
    id: idOf(event.stream),
    event: 'item.quantity_changed',
    item: { id: lineId, productId, sku, name, quantity },
    oldQuantity,
    newQuantity: quantity,
    ...basketFigures(event, storeCurrency),
    dateUpdated: event.recordedAt,
  };
  return [ofBasket(event, data)];
};

export const itemRemoved = (
  event: Of<BasketEvent, 'BasketLineRemoved'>,
  { storeCurrency }: PayloadContext,
): readonly Told[] => {
  const { lineId, productId, sku, name, quantity } = event.data;
  const data = {
    id: idOf(event.stream),
    event: 'item.removed',
    item: { id: lineId, productId, sku, name, quantity },
    ...basketFigures(event, storeCurrency),
    dateUpdated: event.recordedAt,
  };
  return [ofBasket(event, data)];
};

export const basketCleared = (event: Of<BasketEvent, 'BasketCleared'>): readonly Told[] => {
  const { currency, customerId } = event.data;
  const data = {
    id: idOf(event.stream),
    event: 'basket.cleared',
    customerId,
    currency,
    dateUpdated: event.recordedAt,
  };
  return [ofBasket(event, data)];
};

export const invoiceCreated = (event: Of<InvoiceEvent, 'SaleConfirmed'>): readonly Told[] => {
  const { content, invoiceNumber } = event.data;
  const id = idOf(event.stream);
  const data = {
    id,
    invoiceNumber,
    total: toDecimal(content.amounts.total, content.currency),
    dateCreated: content.createdAt,
    currencyCode: content.currency,
    source: content.source.type,
  };
  return [{ entityType: 'Invoice', entityId: id, data }];
};

/** One for each order of the sale. */
export const orderCreated = (event: Of<InvoiceEvent, 'SaleConfirmed'>): readonly Told[] => {
  const { content, invoiceNumber, orderStatuses } = event.data;
  return [...orderTotals(content)].map(([id, total]) => ({
    entityType: 'Order',
    entityId: id,
    data: {
      id,
      invoiceId: idOf(event.stream),
      status: orderStatuses[id] ?? null,
      dateCreated: content.createdAt,
      invoiceNumber,
      total: toDecimal(total, content.currency),
      currencyCode: content.currency,
    },
  }));
};

export const orderStatusChanged = (event: Of<InvoiceEvent, 'OrderStatusChanged'>): readonly Told[] => {
  const { orderId, from, to } = event.data;
  const data = {
    order: { id: orderId, invoiceId: idOf(event.stream), status: to },
    previousStatus: from,
    newStatus: to,
    reason: null,
  };
  return [{ entityType: 'Order', entityId: orderId, data }];
};

/** Only the payment that leaves nothing to be paid (decisions, backoffice 1.6); not one for what has expired. */
export const invoicePaid = (event: Of<InvoiceEvent, 'PaymentCaptured'>): readonly Told[] => {
  const { paymentId, amount, currency, provider, invoiceNumber, balance, isLate } = event.data;
  if (balance.paymentStatus !== 'Paid' || isLate) return [];
  const invoiceId = idOf(event.stream);
  const data = {
    id: paymentId,
    invoiceId,
    amount: toDecimal(amount, currency),
    paymentSuccess: true,
    paymentProviderAlias: provider,
    invoiceNumber,
    currencyCode: currency,
    paymentStatus: balance.paymentStatus,
  };
  return [{ entityType: 'Payment', entityId: invoiceId, data }];
};

/** What was set aside anew; a placement that takes over what an older one held says nothing. */
export const inventoryReserved = (event: Of<InventoryEvent, 'StockReserved'>): readonly Told[] => {
  const { productId, warehouseId, change, stock, reserved } = event.data;
  if (change <= 0) return [];
  const data = { productId, warehouseId, quantity: change, remainingAvailable: stock - reserved };
  return [{ entityType: 'Product', entityId: productId, data }];
};

/** Names and address are null once the customer has been forgotten. */
export const customerCreated = (event: Of<CustomerEvent, 'CustomerRegistered'>): readonly Told[] => {
  const { email, firstName, lastName } = event.data;
  const id = idOf(event.stream);
  const data = { id, email, firstName, lastName, dateCreated: event.recordedAt };
  return [{ entityType: 'Customer', entityId: id, data }];
};

import { expect } from 'chai';
import { basketEvents } from '#events/basket.events.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { discount } from '#entities/discount.entity.ts';
import { customerEvents } from '#events/customer.events.ts';
import { ada, registered } from '#test/support/builders/customer.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { orderTotals } from '#events/order-totals.ts';
import { deliveryIdOf } from '#dispatcher/contexts/webhooks/delivery-id.ts';
import { bodyOf, envelopeOf } from '#dispatcher/contexts/webhooks/envelope.ts';
import { topicRecords, topicsByCategory } from '#topics/topic-records.ts';
import { announcedEventTypes, messagesOf, namedTopics } from '#topics/topics.ts';
import { misfitsOf } from '#test/support/fitting-topics.ts';
import { eventDefinition } from '#events/registry.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed, percentOff } from '../../support/builders/basket.ts';
import { addressOf, invoice } from '../../support/builders/invoice.ts';
import { productOnSale } from '../../support/builders/product.ts';
import { inStream, recordedEvents, type GivenEvent } from '../../support/given.ts';
import { topicContext } from '#test/support/topic-context.ts';

const told = (...events: readonly GivenEvent[]) =>
  recordedEvents(events).map((event) => messagesOf(event, topicContext));

const basketId = idNamed('basket');
const line = {
  lineId: idNamed('line'),
  productId: idNamed('mug'),
  productRootId: idNamed('root'),
  sku: 'MUG',
  name: 'Blue mug',
  productRootName: 'Mug',
  selectedOptions: [],
  imageUrl: null,
  isDigital: false,
};
const pricing = (subTotal: number, total: number) => ({
  totals: {
    subTotal,
    productDiscount: 0,
    shippingDiscount: 0,
    shipping: 0,
    tax: total - subTotal,
    shippingTax: 0,
    total,
    effectiveShippingTaxRate: null,
  },
  discounts: [],
  changedLines: [],
});
const destination = { countryCode: 'GB', regionCode: null, postalCode: null };
const { BasketStarted, BasketLineAdded, BasketLineQuantityChanged, BasketLineRemoved, BasketCleared } =
  basketEvents.create;
const started = BasketStarted({ currency: 'GBP', destination });
const added = BasketLineAdded({ line, quantity: 2, itemCount: 2, pricing: pricing(2400, 2880) });
const ofLine = { lineId: line.lineId, productId: line.productId, sku: line.sku, name: line.name };
const item = { id: line.lineId, productId: line.productId, sku: 'MUG', name: 'Blue mug' };
const at = (second: number) => `2026-01-05T09:00:0${second}.000Z`;

describe('the topics', () => {
  it('are the 36 of docs/webhook-topics.md, in eleven categories', () => {
    const specified = {
      Baskets: ['basket.created', 'basket.updated'],
      'Checkout Recovery': [
        ...['checkout.abandoned', 'checkout.abandoned.first', 'checkout.abandoned.reminder'],
        ...['checkout.abandoned.final', 'checkout.recovered', 'checkout.converted'],
      ],
      Customers: ['customer.created', 'customer.updated', 'customer.deleted'],
      'Digital Products': ['digital.delivered'],
      Discounts: ['discount.created', 'discount.updated', 'discount.deleted'],
      Fulfilment: [
        ...['fulfilment.submitted', 'fulfilment.failed'],
        ...['fulfilment.inventory_updated', 'fulfilment.product_synced'],
      ],
      Inventory: [
        ...['inventory.adjusted', 'inventory.low_stock', 'inventory.reserved', 'inventory.allocated'],
      ],
      Invoices: ['invoice.created', 'invoice.paid', 'invoice.refunded', 'invoice.deleted'],
      Orders: ['order.created', 'order.updated', 'order.status_changed', 'order.cancelled'],
      Products: ['product.created', 'product.updated', 'product.deleted'],
      Shipments: ['shipment.created', 'shipment.updated'],
    };
    const listed = topicsByCategory().map(({ name, topics }) => [name, topics.map(({ key }) => key)]);
    expect(listed.map(([name]) => name)).to.deep.equal(Object.keys(specified));
    for (const [name, keys] of listed)
      expect(keys, String(name)).to.have.members(specified[name as keyof typeof specified]);
    expect(
      topicRecords()
        .slice(0, 2)
        .map(({ displayName }) => displayName),
    ).to.deep.equal(['Basket Created', 'Basket Updated']);
  });

  it('are fed, all of them, by events that exist', () => {
    for (const type of announcedEventTypes.keys())
      expect(eventDefinition(type), type).to.not.equal(undefined);
    expect(new Set([...announcedEventTypes.values()].flat())).to.deep.equal(new Set(namedTopics.keys()));
  });

  it('have a sample each that fits its schema', () => {
    for (const [topic, { schema, sample }] of namedTopics)
      expect(schema.safeParse(sample).error?.issues ?? [], topic).to.deep.equal([]);
  });

  it('have schemas that refuse what is unknown, missing or written as numbers', () => {
    for (const [topic, { schema, sample }] of namedTopics) {
      expect(schema.safeParse({ ...sample, unknown: 1 }).success, topic).to.equal(false);
      for (const field of Object.keys(sample)) {
        const { [field]: _, ...less } = sample as Readonly<Record<string, unknown>>;
        expect(schema.safeParse(less).success, `${topic} without ${field}`).to.equal(false);
      }
    }
    const status = namedTopics.get('order.updated');
    expect(status?.schema.safeParse({ ...status.sample, status: 30 }).success).to.equal(false);
  });

  it('are described by JSON Schemas that stay open for later fields', () => {
    for (const { key, schema, samplePayload } of topicRecords()) {
      expect(schema.$schema, key).to.equal('https://json-schema.org/draft/2020-12/schema');
      expect(JSON.stringify(schema), key).to.not.include('additionalProperties');
      const [first = schema] = (schema.oneOf ?? []) as readonly (typeof schema)[];
      expect(first.required, key).to.have.members(Object.keys(JSON.parse(samplePayload) as object));
    }
  });

  it('fit their schemas with everything that goes out', () => {
    const recorded = recordedEvents(everything());
    const topics = recorded.flatMap((event) => messagesOf(event, topicContext)).map(({ topic }) => topic);
    expect(new Set(topics).size).to.equal(14);
    expect(misfitsOf(recorded)).to.deep.equal([]);
  });
});

const everything = (): readonly GivenEvent[] => [
  ...inStream(streamOf.basket(basketId), started, added),
  ...invoice('sold').sold(),
  ...inStream(streamOf.stock(idNamed('stock')), reserved(2)),
  ...inStream(streamOf.customer(idNamed('ada')), registered(), ...later),
  ...inStream(
    streamOf.product(idNamed('root')),
    productEvents.create.ProductCreated({ root, variants, at: at(1) }),
    productEvents.create.ProductDetailsChanged({ root, at: at(2), productName: 'mug' }),
    productEvents.create.ProductDeleted({ productName: 'mug' }),
  ),
];

const { CustomerAcceptedMarketing, CustomerChanged, CustomerDeleted } = customerEvents.create;
const { email, firstName, lastName } = ada;
const later = [
  CustomerAcceptedMarketing({ email, firstName, lastName, at: at(1) }),
  CustomerChanged({ ...ada, lastName: 'King', tagsGained: [], tagsLost: [], at: at(2) }),
  CustomerDeleted({ email, segmentIds: [], tagsLost: [], at: at(3) }),
];

const { root, variants } = productOnSale('mug', { price: 1000, taxGroupId: null, isTracked: false });

const reserved = (change: number) =>
  inventoryEvents.create.StockReserved({
    productId: idNamed('mug'),
    warehouseId: idNamed('east'),
    sku: 'MUG',
    basketId,
    placementId: idNamed('placement'),
    quantity: 2,
    change,
    stock: 10,
    reserved: 4,
  });

describe('what events tell', () => {
  it('a first add creates the basket and then updates it', () => {
    const [, messages] = told(...inStream(streamOf.basket(basketId), started, added));
    expect(messages).to.deep.equal([
      {
        topic: 'basket.created',
        entityType: 'Basket',
        entityId: basketId,
        data: {
          id: basketId,
          customerId: null,
          currency: 'GBP',
          subTotal: 24,
          total: 28.8,
          dateCreated: at(1),
        },
      },
      {
        topic: 'basket.updated',
        entityType: 'Basket',
        entityId: basketId,
        data: {
          id: basketId,
          event: 'item.added',
          item: { ...item, quantity: 2 },
          subTotal: 24,
          total: 28.8,
          dateUpdated: at(1),
        },
      },
    ]);
  });

  it('lines that come in from another basket update this one, in one message', () => {
    const merged = basketEvents.create.BasketMerged({
      fromBasketId: idNamed('other'),
      taken: [],
      added: [{ line: { ...line, lineId: idNamed('new line') }, quantity: 1 }],
      grown: [{ ...ofLine, quantity: 5 }],
      codes: [],
      leftOut: [],
      itemCount: 6,
      pricing: pricing(7200, 8640),
    });
    // Nothing had room.
    const leftOut = { ...merged, data: { ...merged.data, added: [], grown: [] } };
    const [, , messages, none] = told(
      ...inStream(streamOf.basket(basketId), started, added, merged, leftOut),
    );
    expect(messages).to.deep.equal([
      {
        topic: 'basket.updated',
        entityType: 'Basket',
        entityId: basketId,
        data: {
          id: basketId,
          event: 'basket.merged',
          items: [
            { ...item, id: idNamed('new line'), quantity: 1 },
            { ...item, quantity: 5 },
          ],
          subTotal: 72,
          total: 86.4,
          dateUpdated: at(2),
        },
      },
    ]);
    expect(none).to.deep.equal([]);
  });

  it('later changes update the basket, which is created once in its life', () => {
    const changed = BasketLineQuantityChanged({
      ...ofLine,
      oldQuantity: 2,
      quantity: 3,
      itemCount: 3,
      pricing: pricing(3600, 4320),
    });
    const removed = BasketLineRemoved({ ...ofLine, quantity: 3, itemCount: 0, pricing: pricing(0, 0) });
    const cleared = BasketCleared({ currency: 'GBP', customerId: idNamed('ada') });
    const all = [started, added, changed, removed, added, cleared, started, added];
    const data = told(...inStream(streamOf.basket(basketId), ...all)).flat();
    expect(data.map(({ topic, data: { event } }) => event ?? topic)).to.deep.equal([
      'basket.created',
      'item.added',
      'item.quantity_changed',
      'item.removed',
      'item.added',
      'basket.cleared',
      'item.added',
    ]);
    expect(data[2]?.data).to.deep.include({ item: { ...item, quantity: 3 }, oldQuantity: 2, newQuantity: 3 });
    expect(data[3]?.data).to.deep.include({ item: { ...item, quantity: 3 }, subTotal: 0, total: 0 });
    expect(data[5]?.data).to.deep.equal({
      id: basketId,
      event: 'basket.cleared',
      customerId: idNamed('ada'),
      currency: 'GBP',
      dateUpdated: at(5),
    });
  });

  it('a basket of a customer who is known is theirs', () => {
    const startedFor = idNamed('ada');
    const first = BasketLineAdded({ ...added.data, startedFor });
    const [, messages] = told(...inStream(streamOf.basket(basketId), started, first));
    expect(messages?.[0]).to.have.nested.property('data.customerId', startedFor);
  });

  it('a sale is announced once, when it is confirmed, with its orders', () => {
    const sold = invoice('sold');
    const messages = told(...sold.sold()).flat();
    expect(messages.map(({ topic }) => topic)).to.deep.equal([
      'invoice.paid',
      'order.status_changed',
      'invoice.created',
      'order.created',
      'order.updated',
    ]);
    const [paid, moved, created, order, updated] = messages;
    const orderId = String(order?.entityId);
    expect(created).to.deep.include({ entityType: 'Invoice', entityId: sold.id });
    expect(created?.data).to.include({
      id: sold.id,
      invoiceNumber: 'INV-0001',
      currencyCode: 'GBP',
      source: 'web',
    });
    expect(order?.data).to.include({
      id: orderId,
      invoiceId: sold.id,
      status: 'ReadyToFulfill',
      total: created?.data.total,
    });
    expect(updated?.data).to.deep.equal({
      id: orderId,
      invoiceId: sold.id,
      status: 'ReadyToFulfill',
      dateUpdated: '2026-03-01T09:05:00.000Z',
    });
    expect(paid).to.deep.include({ entityType: 'Payment', entityId: sold.id });
    expect(paid?.data).to.include({
      paymentSuccess: true,
      paymentStatus: 'Paid',
      amount: created?.data.total,
    });
    expect(moved?.data).to.deep.include({
      previousStatus: 'Pending',
      newStatus: 'ReadyToFulfill',
      reason: null,
    });
  });

  it('an order is updated when a date of its status changes, and when its sale goes to another address', () => {
    const sold = invoice('sold');
    const order = idNamed('order');
    const { ShippingAddressChanged } = invoiceEvents.create;
    const change = { ...sold.invoiceName, address: addressOf('Ada'), by: 'mary', changedAt: at(9) };
    const messages = told(
      ...inStream(
        sold.stream,
        sold.moved('OnHold', 'order', 'ReadyToFulfill'),
        sold.moved('Shipped', 'order', 'Processing'),
        ShippingAddressChanged({ ...change, orderStatuses: { [order]: 'Shipped' } }),
        // Of an order that is not sold, nobody has heard.
        ShippingAddressChanged(change),
      ),
    );
    expect(messages.map((of) => of.map(({ topic }) => topic))).to.deep.equal([
      ['order.status_changed'],
      ['order.updated', 'order.status_changed'],
      ['order.updated'],
      [],
    ]);
    for (const of of messages)
      for (const { topic, entityId, data } of of)
        if (topic === 'order.updated') expect([entityId, data.status]).to.deep.equal([order, 'Shipped']);
  });

  it('an order that expires or is replaced before anybody was told of it says nothing', () => {
    const left = invoice('left');
    const { type, data } = left.moved('Cancelled');
    const said = (gone: GivenEvent) => told(...inStream(left.stream, gone)).flat();
    expect(said({ type, data: { ...data, isSilent: true } })).to.deep.equal([]);
    expect(said({ type, data }).map(({ topic }) => topic)).to.deep.equal([
      'order.updated',
      'order.status_changed',
    ]);
  });

  it('stock that a row is opened with, and what comes back of a shipment, is told with its reason', () => {
    const row = { productId: idNamed('mug'), warehouseId: idNamed('east'), sku: 'MUG' };
    const { StockRowOpened, AllocationReversed } = inventoryEvents.create;
    const settings = { trackStock: true, reorderPoint: null, reorderQuantity: null };
    const shipment = { basketId, placementId: idNamed('placement'), shipmentId: idNamed('shipment') };
    const back = (quantity: number) =>
      AllocationReversed({ ...row, ...shipment, quantity, isOwed: false, stock: 9, reserved: 0 });
    const messages = told(
      ...inStream(
        streamOf.stock(idNamed('stock')),
        StockRowOpened({ ...row, ...settings, stock: 7, reason: 'import' }),
        back(2),
        // Nothing had been there for the shipment.
        back(0),
        // As older releases wrote it, and a row without units.
        StockRowOpened({ ...row, ...settings, stock: 7 }),
      ),
    ).flat();
    const counts = (previousStock: number, newStock: number, reason: string) => ({
      ...row,
      ...{ previousStock, newStock, change: newStock - previousStock, reason },
    });
    expect(messages.map(({ data }) => data)).to.deep.equal([
      counts(0, 7, 'import'),
      counts(7, 9, 'shipment_reversal'),
    ]);
  });

  it('a payment in part says nothing, nor one that comes after its invoice has expired', () => {
    const sold = invoice('sold');
    expect(told({ ...sold.captured(1), stream: sold.stream }).flat()).to.deep.equal([]);
    const whole = sold.captured();
    const late = { ...whole, data: { ...whole.data, isLate: true } };
    expect(told({ ...late, stream: sold.stream }).flat()).to.deep.equal([]);
  });

  it('a discount is told by name, code, category and status, and what is left of one that is deleted', () => {
    const { rule } = percentOff('TEN', 10);
    const { name, code, category } = rule;
    const { DiscountCreated, DiscountChanged, DiscountDeactivated, DiscountExpired } = discount.events.create;
    const id = idNamed('ten');
    const rows = told(
      ...inStream(
        streamOf.discount(id),
        DiscountCreated({ rule, status: 'Active', at: at(1) }),
        DiscountChanged({ rule, status: 'Scheduled', at: at(2) }),
        DiscountDeactivated({ name, code, category, at: at(3) }),
        DiscountExpired({ name, code, category, at: at(4) }),
        { type: 'DiscountDeleted', data: { name, code } },
        // As older releases wrote it.
        DiscountDeactivated({ at: at(5) }),
      ),
    ).flat();
    const saved = { id, name, code, category };
    expect(rows.map(({ topic, data }) => [topic, data])).to.deep.equal([
      ['discount.created', { ...saved, status: 'Active' }],
      ['discount.updated', { ...saved, status: 'Scheduled' }],
      ['discount.updated', { ...saved, status: 'Disabled' }],
      ['discount.updated', { ...saved, status: 'Expired' }],
      ['discount.deleted', { id, name, code }],
    ]);
    for (const { entityType, entityId } of rows)
      expect([entityType, entityId]).to.deep.equal(['Discount', id]);
  });

  it('stock that is set aside is told, stock that is given back or taken over is not', () => {
    const stream = streamOf.stock(idNamed('stock'));
    const [first, ...others] = told(...inStream(stream, reserved(2), reserved(0), reserved(-1)));
    expect(first?.[0]?.data).to.deep.equal({
      productId: idNamed('mug'),
      warehouseId: idNamed('east'),
      quantity: 2,
      remainingAvailable: 6,
    });
    expect(others.flat()).to.deep.equal([]);
  });

  it('a customer is introduced', () => {
    const [message] = told(...inStream(streamOf.customer(idNamed('ada')), registered())).flat();
    expect(message?.data).to.include({ id: idNamed('ada'), email: 'ada@example.com', dateCreated: at(0) });
  });

  it('a customer is told of when something changes, and a last time when they are deleted', () => {
    const messages = told(...inStream(streamOf.customer(idNamed('ada')), registered(), ...later)).flat();
    const id = idNamed('ada');
    expect(messages.slice(1).map(({ topic, data }) => [topic, data])).to.deep.equal([
      ['customer.updated', { id, email, firstName, lastName, dateUpdated: at(1) }],
      ['customer.updated', { id, email, firstName, lastName: 'King', dateUpdated: at(2) }],
      ['customer.deleted', { id, email }],
    ]);
  });

  it('is the same in a replay, byte for byte', () => {
    const events = recordedEvents(everything());
    const bodies = () =>
      events.flatMap((event) =>
        messagesOf(event, topicContext).map((message) =>
          bodyOf(envelopeOf(deliveryIdOf('subscription', event.id, message), message, event.recordedAt)),
        ),
      );
    expect(bodies()).to.deep.equal(bodies());
    expect(new Set(bodies()).size).to.equal(bodies().length);
    expect(bodies()[0]).to.match(
      /^\{"id":"[0-9a-f-]{36}","topic":"basket.created","timestamp":"2026-01-05T09:00:01.000Z","api_version":"2024-01","data":\{/,
    );
  });
});

describe('the totals of orders', () => {
  it('sum to the total of the invoice, tax on shipping and all', () => {
    const { data } = invoice('sold').confirmed();
    const [order] = data.content.orders;
    if (!order) return expect.fail('no order');
    const total = 10_001;
    const twice = {
      ...data.content,
      amounts: { ...data.content.amounts, total },
      orders: [
        { ...order, orderId: 'a', shippingCost: 500 },
        { ...order, orderId: 'b', shippingCost: 250 },
      ],
    };
    const totals = [...orderTotals(twice).values()];
    expect(totals.reduce((sum, one) => sum + one, 0)).to.equal(total);
  });
});

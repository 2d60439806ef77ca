import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { faultyEventStore, holds, type FaultyEventStore } from '#test/support/faults.ts';
import { openFulfillingShop, type FulfillingShop } from '#test/support/fulfilling-shop.ts';
import { fulfilmentCallback } from '#test/support/fulfilment-server.ts';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';

interface Telling {
  readonly key?: string;
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly at?: number;
  readonly secret?: Buffer;
}

/** docs/rules/fulfilment.md#callbacks */
describe('what a fulfilment provider tells', () => {
  let own: FulfillingShop;
  let invoiceId: string;
  let orderId: string;
  const { when, make } = managing(() => own.shop);

  const tell = (type: string, data: object, telling: Telling = {}): Promise<ApiResponse> => {
    const { key = own.configurationId, id = newId(), headers, at, secret } = telling;
    const now = at ?? own.shop.shop.runtime.clock.now();
    const request = fulfilmentCallback(key, type, data, now, { id, ...(secret ? { key: secret } : {}) });
    return own.shop.shopper().ask(headers ? { ...request, headers } : request);
  };
  const told = async (type: string, data: object, telling: Telling = {}): Promise<ApiResponse['body']> => {
    const { status, body } = await tell(type, { reference: 'HOUSE-1', ...data }, telling);
    expect(status, JSON.stringify(body)).to.equal(200);
    await own.shop.settle();
    return body;
  };
  const statusOf = async (): Promise<string> => (await own.orderOf(invoiceId)).status as string;
  const count = async (type: string): Promise<number> =>
    (await eventsIn(own.shop)).filter((event) => event.type === type).length;
  const shipments = async (): Promise<readonly ApiResponse['body'][]> => {
    const summary = await when(manage.get(`/orders/${invoiceId}/fulfillment-summary`)).then(200);
    return (summary.body.orders as { shipments: ApiResponse['body'][] }[]).flatMap(
      (order) => order.shipments,
    );
  };
  const notes = async (): Promise<string> => JSON.stringify((await own.invoice(invoiceId)).notes);

  beforeEach(async () => {
    own = await openFulfillingShop();
    invoiceId = await own.buy(3);
    orderId = (await own.orderOf(invoiceId)).id;
  });
  afterEach(() => own.close());

  it('moves the order, and is answered with what was in it', async () => {
    expect(await told('order.shipped', {})).to.deep.equal({
      message: 'Webhook processed',
      eventType: 'order.shipped',
      statusUpdates: 1,
      shipmentUpdates: 0,
      inventoryUpdates: 0,
    });
    expect(await statusOf()).to.equal('Shipped');
    await told('shipment_delivered', {}, { key: 'generic-http' });
    expect(await statusOf()).to.equal('Completed');
  });

  it('puts the order on hold, and cancels it: stock goes back, money does not', async () => {
    await told('shipment_exception', { errorMessage: 'no such street' });
    expect(await statusOf()).to.equal('OnHold');
    expect(await notes()).to.include('no such street');
    await told('order.shipment.cancelled', {});
    expect(await statusOf()).to.equal('Cancelled');
    expect(await count('StockReleased')).to.equal(1);
    expect(await count('PaymentRefunded')).to.equal(0);
    expect(own.server.requests.filter(({ path }) => path.endsWith('/cancel'))).to.have.length(0);
  });

  it('ships in parts, each shipment by its own name, and the order follows them', async () => {
    const items = (quantityShipped: number) => [{ sku: 'mug', quantityShipped }];
    const shippedDate = '2026-01-05T09:00:00Z';
    await told('shipment.created', {
      providerShipmentId: 'S1',
      items: items(2),
      shippedDate,
      carrier: 'DPD',
    });
    expect(await statusOf()).to.equal('PartiallyShipped');
    await told('shipment.created', { providerShipmentId: 'S2', items: items(1) });
    await told('shipment.updated', { providerShipmentId: 'S2', trackingNumber: 'T2', shippedDate });
    expect(await statusOf()).to.equal('Shipped');
    await told('shipment.delivered', { providerShipmentId: 'S1' });
    expect(await statusOf()).to.equal('Shipped');
    await told('shipment.delivered', { providerShipmentId: 'S2' });
    expect(await statusOf()).to.equal('Completed');
    const all = await shipments();
    expect(all.map(({ trackingNumber }) => trackingNumber).sort()).to.deep.equal(['T2', null]);
    expect(all.map(({ status }) => status)).to.deep.equal(['Delivered', 'Delivered']);
  });

  it('cuts what it says beyond what is left, and notes that and what is not of the order', async () => {
    const items = [
      { sku: 'mug', quantityShipped: 9 },
      { sku: 'teapot', quantityShipped: 1 },
    ];
    await told('order.shipped', { providerShipmentId: 'S1', items });
    expect(await statusOf()).to.equal('Shipped');
    expect(await count('ShipmentCreated')).to.equal(1);
    expect(await notes()).to.include('teapot');
  });

  it('ignores what the order cannot do any more, and notes it', async () => {
    await told('order.delivered', {});
    await told('order.processing', {});
    expect(await statusOf()).to.equal('Completed');
    expect(await notes()).to.include('Ignored what the fulfilment provider says');
  });

  it('does not end a hold of staff, in a callback or when it is asked, and ends its own', async () => {
    const hold = manage.put(`/orders/${orderId}/status`, { status: 'OnHold' });
    await told('order.on_hold', {});
    await told('order.processing', {});
    expect(await statusOf()).to.equal('Processing');
    await when(hold).then(200, { status: 'OnHold' });
    await told('order.processing', {}, { id: 'm-2' });
    const [order] = own.server.orders;
    if (!order) return expect.fail('the house has no order');
    order.status = 'picked';
    await own.wait(16, 'fulfilment-poll');
    expect(await statusOf()).to.equal('OnHold');
    expect(await notes()).to.include('Ignored what the fulfilment provider says: The order is on hold');
  });

  it('is forgotten with the customer, whatever it says of them', async () => {
    await told('order.on_hold', { errorMessage: 'Mrs King is away' });
    await told('order.cancelled', { errorMessage: 'Mrs King sends it back' });
    own.server.fail('refuses');
    const refused = await own.buy();
    const words = async () =>
      JSON.stringify((await eventsIn(own.shop)).map(({ data }) => data)).match(
        /Mrs King [a-z]+|is not served/g,
      );
    expect([...new Set(await words())].sort()).to.deep.equal([
      ...['Mrs King is', 'Mrs King sends', 'is not served'],
    ]);
    for (const id of [invoiceId, refused])
      await own.shop.shop.runtime.codec.keys.forget((await own.invoice(id)).customerId as string);
    expect(await words()).to.equal(null);
  });

  it('has no effect for an order that it does not have, nor for one of ours that never went there', async () => {
    const held = await own.buy();
    expect((await tell('order.shipped', { reference: 'HOUSE-99' })).status).to.equal(200);
    const path = `/fulfilment-providers`;
    const other = await make(path, {
      providerKey: 'generic-http',
      configuration: { baseUrl: own.server.url, webhookSecret: 'another' },
    });
    await own.shop.settle();
    const said = await tell(
      'order.shipped',
      { reference: (await own.orderOf(held)).id },
      { key: other.id, secret: Buffer.from('another') },
    );
    expect(said.status).to.equal(200);
    expect((await own.orderOf(held)).status).to.equal('Processing');
    expect(await count('ShipmentCreated')).to.equal(0);
    await told('order.shipped', { reference: orderId });
    expect(await statusOf()).to.equal('Shipped');
  });

  it('is processed once, however often and at once it comes', async () => {
    const id = newId();
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => tell('order.shipped', { reference: 'HOUSE-1' }, { id })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    expect(answers.map(({ body }) => body.message).sort()).to.deep.equal([
      ...Array.from({ length: 4 }, () => 'Already processed'),
      'Webhook processed',
    ]);
    expect(await count('ShipmentCreated')).to.equal(1);
    expect((await told('order.shipped', {}, { id })).message).to.equal('Already processed');
  });

  it('is refused without a signature, with an altered or old one, and of providers that do not call', async () => {
    const before = await count('OrderStatusChanged');
    const supplier = await make('/fulfilment-providers', { providerKey: 'supplier-direct' });
    await own.shop.settle();
    const now = own.shop.shop.runtime.clock.now();
    const data = { reference: 'HOUSE-1' };
    for (const [telling, status, message] of [
      [{ headers: {} }, 400, 'Invalid webhook signature.'],
      [{ secret: Buffer.from('wrong') }, 400, 'Invalid webhook signature.'],
      [{ at: now - 301_000 }, 400, 'Invalid webhook signature.'],
      [{ key: 'pigeon' }, 404, "Provider 'pigeon' not found."],
      [{ key: newId() }, 404, /not found/],
      [{ key: supplier.id }, 400, /does not support webhooks/],
    ] as const) {
      const answer = await tell('order.shipped', data, telling);
      expect(answer.status).to.equal(status);
      expect(answer.body.message).to.match(message instanceof RegExp ? message : new RegExp(message));
    }
    const request = fulfilmentCallback('generic-http', 'order.shipped', data, now);
    const { body: signed } = request;
    for (const [body, message] of [
      [JSON.stringify(signed).replace('HOUSE-1', 'HOUSE-2'), 'Invalid webhook signature.'],
      [`${JSON.stringify(signed)} `, 'Invalid webhook signature.'],
      [undefined, 'Empty payload.'],
    ] as const) {
      const answer = await own.shop.shopper().ask({ ...request, body });
      expect([answer.status, answer.body.message]).to.deep.equal([400, message]);
    }
    const nonsense = await tell('order.shipped', {});
    expect(nonsense.status).to.equal(400);
    expect(nonsense.body.message).to.equal('data.reference: must be text');
    expect(await count('OrderStatusChanged')).to.equal(before);
  });

  it('sets stock, and passes over what makes no sense', async () => {
    const levels = [
      { sku: 'mug', availableQuantity: 5 },
      { sku: 'mug', availableQuantity: -5 },
      { sku: 'teapot', availableQuantity: 5 },
    ];
    const body = await told('inventory.updated', { levels });
    expect(body).to.include({ statusUpdates: 0, inventoryUpdates: 1 });
    const adjusted = (await eventsIn(own.shop)).filter(({ type }) => type === 'StockAdjusted');
    expect(adjusted.map(({ data }) => data)).to.have.length(1);
    // Three are reserved for the order.
    expect(adjusted[0]?.data).to.include({ stock: 8, reserved: 3, reason: 'provider_sync' });
    await told('inventory.updated', { levels: [{ sku: 'mug', availableQuantity: 0 }] });
    const last = (await eventsIn(own.shop)).filter(({ type }) => type === 'StockAdjusted').at(-1);
    expect(last?.data).to.include({ stock: 3, reserved: 3 });
  });

  it('comes sixty times a minute at most, however its key is spelt', async () => {
    const keys = ['generic-http', 'Generic-HTTP'];
    const answers: number[] = [];
    for (let sent = 0; sent < 61; sent++)
      answers.push((await tell('order.shipped', {}, { headers: {}, key: keys[sent % 2] ?? '' })).status);
    expect(new Set(answers.slice(0, 60))).to.deep.equal(new Set([400]));
    expect(answers.at(-1)).to.equal(429);
  });

  it('is asked for where it is not told, and its answers change the order once', async () => {
    const [order] = own.server.orders;
    if (!order) return expect.fail('the house has no order');
    order.status = 'in transit';
    order.shipments = [
      { providerShipmentId: 'S1', trackingNumber: 'T1', shippedDate: '2026-01-05T09:00:00Z' },
    ];
    expect(await own.wait(14, 'fulfilment-poll')).to.include({ polled: 0 });
    expect(await own.wait(2, 'fulfilment-poll')).to.include({ polled: 1, failed: 0 });
    expect(await statusOf()).to.equal('Shipped');
    expect(await count('FulfilmentStatusNoted')).to.equal(1);
    await own.wait(16, 'fulfilment-poll');
    expect(await count('FulfilmentStatusNoted')).to.equal(1);
    order.status = 'delivered';
    await own.wait(16, 'fulfilment-poll');
    expect(await statusOf()).to.equal('Completed');
    expect(await own.wait(16, 'fulfilment-poll')).to.include({ polled: 0 });
  });

  it('that works on the rest of an order takes nothing of what it has sent back', async () => {
    const [order] = own.server.orders;
    if (!order) return expect.fail('the house has no order');
    order.status = 'processing';
    order.shipments = [
      {
        ...{ providerShipmentId: 'S1', shippedDate: '2026-01-05T09:00:00Z' },
        items: [{ sku: 'mug', quantityShipped: 1 }],
      },
    ];
    expect(await own.wait(16, 'fulfilment-poll')).to.include({ polled: 1, failed: 0 });
    expect(await statusOf()).to.equal('PartiallyShipped');
    await told('order.processing', {});
    expect(await statusOf()).to.equal('PartiallyShipped');
    expect(await notes()).to.not.include('Ignored');
  });

  it('is told to the order at the next poll where the first could not be recorded', async () => {
    await own.close();
    let faults: FaultyEventStore | undefined;
    own = await openFulfillingShop({ wrapStore: (store) => (faults = faultyEventStore(store)) });
    invoiceId = await own.buy(3);
    const [order] = own.server.orders;
    if (!order) return expect.fail('the house has no order');
    order.status = 'cancelled';
    faults?.runBefore('append', holds('OrderStatusChanged'), () => {
      throw new Error('killed');
    });
    expect(await own.wait(16, 'fulfilment-poll')).to.include({ polled: 1, failed: 1 });
    expect(await statusOf()).to.equal('Processing');
    expect(await own.wait(16, 'fulfilment-poll')).to.include({ polled: 1, failed: 0 });
    expect(await statusOf()).to.equal('Cancelled');
    expect(await count('FulfilmentStatusNoted')).to.equal(1);
  });

  it('can be tried out, and does what it says then', async () => {
    const path = `/fulfilment-providers/${own.configurationId}/simulate-webhook`;
    const shipped = { eventType: 'order.shipped', providerReference: 'HOUSE-1', carrier: 'DPD' };
    const answer = await when(manage.post(path, shipped)).then(200, {
      success: true,
      eventTypeDetected: 'order.shipped',
      errorMessage: null,
    });
    expect(answer.body.actionsPerformed).to.have.length(2);
    expect(JSON.parse(answer.body.payload as string)).to.have.nested.property('data.carrier', 'DPD');
    await own.shop.settle();
    expect(await statusOf()).to.equal('Shipped');
    const customPayload = { type: 'order.delivered', data: {} };
    await when(manage.post(path, { eventType: 'order.shipped', customPayload }))
      .then(200, { success: false, errorMessage: 'data.reference: must be text' })
      .and(noNewEvents());
    await when(manage.post(path, {})).then(400).and(refusedFor('invalid-request'));
  });
});

import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { Customer } from '#test/support/member-shop.ts';
import { selectShipping, showShipping } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';

describe('Shipments', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  after(() => shop.close());

  const place = async (quantity = 2) => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, quantity);
    return { shopper, invoiceId: (await shopper.pay()).body.invoiceId as string };
  };
  const orderOf = async (invoiceId: string) => {
    const [order] = (await shop.shown(`/orders/${invoiceId}`)).orders;
    return { invoiceId, orderId: order.id as string, lineId: order.lineItems[0].id as string };
  };
  const buy = async (quantity = 2) => {
    const { shopper, invoiceId } = await place(quantity);
    await shopper.payWith(invoiceId);
    return orderOf(invoiceId);
  };
  const pack = (orderId: string, lineItems: unknown, more: object = {}) =>
    shop.admin.post(`${management}/orders/${orderId}/shipments`, { lineItems, ...more });
  const setStatus = (id: string, newStatus: unknown, more: object = {}) =>
    shop.admin.put(`${management}/shipments/${id}/status`, { newStatus, ...more });
  const move = (orderId: string, status: unknown, reason?: string) =>
    shop.admin.put(`${management}/orders/${orderId}/status`, { status, reason });
  const levels = async () => {
    const { stock } = (await shop.admin.get(`${management}/products?search=mug`)).body.items[0] ?? {};
    if (stock) return stock;
    const found = await shop.shop.runtime.store.readAll(0, 10_000);
    const rows = found.filter(({ stream }) => stream.startsWith('stock-'));
    const last = JSON.parse(rows.at(-1)?.data ?? '{}') as { stock: number; reserved: number };
    return { stock: last.stock, reserved: last.reserved };
  };

  it('go from packed to delivered, and the order, the stock and the list follow', async () => {
    const { invoiceId, orderId, lineId } = await buy();
    const before = await levels();
    const made = await pack(orderId, { [lineId]: 1 }, { carrier: 'Royal Mail', trackingNumber: 'AB1' });
    expect([made.status, made.headers.get('location')]).to.deep.equal([
      201,
      `/orders/${invoiceId}/fulfillment-summary`,
    ]);
    expect(made.body).to.deep.include({
      orderId,
      status: 'Preparing',
      carrier: 'Royal Mail',
      shippedDate: null,
    });
    expect(made.body.lineItems).to.deep.equal([
      { lineItemId: lineId, sku: 'mug', name: 'Product mug', quantity: 1 },
    ]);
    expect(await levels()).to.deep.equal({ stock: before.stock - 1, reserved: before.reserved - 1 });
    expect(await shop.shown(`/orders/${invoiceId}`)).to.include({ deliveryStatus: 'Preparing' });

    const { id } = made.body;
    const sent = await setStatus(id, 10, { trackingUrl: 'https://track.example.com/AB1' });
    expect([sent.status, sent.body.status, sent.body.trackingUrl]).to.deep.equal([
      200,
      'Shipped',
      'https://track.example.com/AB1',
    ]);
    expect((await shop.shown(`/orders/${invoiceId}`)).orders[0]).to.include({ status: 'PartiallyShipped' });
    const summary = await shop.shown(`/orders/${invoiceId}/fulfillment-summary`);
    expect(summary).to.include({
      invoiceId,
      deliveryStatus: 'PartiallyShipped',
      canFulfill: true,
      totalQuantity: 2,
      packedQuantity: 1,
      shippedQuantity: 1,
      remainingQuantity: 1,
    });
    expect(summary.orders[0].shipments).to.deep.equal([sent.body]);

    const rest = await pack(orderId, [{ lineItemId: lineId, quantity: 1 }]);
    for (const shipment of [id, rest.body.id]) {
      await setStatus(shipment, 'Shipped');
      expect((await setStatus(shipment, 'delivered')).body.actualDeliveryDate).to.be.a('string');
    }
    expect(await shop.shown(`/orders/${invoiceId}`)).to.include({
      deliveryStatus: 'Delivered',
      fulfillmentStatus: 'Fulfilled',
      canFulfill: false,
    });
    const notes = (await shop.shown(`/orders/${invoiceId}`)).notes.map(({ text }: { text: string }) => text);
    expect(notes).to.include('A shipment of 1 piece was created: Royal Mail AB1');
  });

  it('that are deleted or cancelled put their units back, to be sent still', async () => {
    const { invoiceId, orderId, lineId } = await buy();
    const before = await levels();
    const { id } = (await pack(orderId, { [lineId]: 2 })).body;
    expect((await shop.admin.delete(`${management}/shipments/${id}`)).status).to.equal(204);
    expect(await levels()).to.deep.equal(before);
    expect((await shop.shown(`/orders/${invoiceId}`)).orders[0]).to.deep.include({
      status: 'ReadyToFulfill',
      shipments: [],
    });
    const again = (await pack(orderId, { [lineId]: 2 })).body;
    await setStatus(again.id, 'Shipped');
    await setStatus(again.id, 'Cancelled');
    expect(await levels()).to.deep.equal(before);
    expect((await shop.shown(`/orders/${invoiceId}`)).orders[0]).to.include({
      status: 'ReadyToFulfill',
      shippedDate: null,
    });
    expect((await shop.admin.delete(`${management}/shipments/${again.id}`)).status).to.equal(204);
    expect(await levels()).to.deep.equal(before);
  });

  it('in preparation are cancelled with their invoice, and nothing of it stays reserved', async () => {
    const before = await levels();
    const { invoiceId, orderId, lineId } = await buy();
    const { id } = (await pack(orderId, { [lineId]: 1 })).body;
    await shop.admin.post(`${management}/orders/${invoiceId}/cancel`, { reason: 'Changed her mind' });
    expect(await levels()).to.deep.equal(before);
    const summary = await shop.shown(`/orders/${invoiceId}/fulfillment-summary`);
    expect(summary.orders[0].shipments[0]).to.include({ id, status: 'Cancelled' });
    expect((await pack(orderId, { [lineId]: 1 })).status).to.equal(400);
    const other = await buy();
    await pack(other.orderId, { [other.lineId]: 2 });
    await shop.admin.post(`${management}/orders/delete`, { ids: [other.invoiceId] });
    expect(await levels()).to.deep.equal(before);
    expect((await pack(other.orderId, { [other.lineId]: 1 })).status).to.equal(404);
  });

  it('say when they are wanted, whether that was promised, where they are, and when they arrived', async () => {
    const { items } = await shop.shown('/warehouses');
    const post = async (path: string, body: object) =>
      (await shop.admin.post(`${management}${path}`, body)).body;
    const dated = {
      ...{ name: 'Courier', warehouseId: items[0].id, fixedCost: 9, isDeliveryDateGuaranteed: true },
      ...{ allowsDeliveryDateSelection: true, minDeliveryDays: 1, maxDeliveryDays: 9 },
    };
    const courier = await post('/shipping-options', dated);
    await shop.settle();
    const inTwoDays = new Date(shop.shop.runtime.clock.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const sold = async (date: object) => {
      const shopper = shop.shopper();
      await shopper.prepare(mug, 2);
      const [{ groupId }] = (await shopper.ask(showShipping())).body.shippingGroups;
      const chosen = { selections: { [groupId]: `so:${courier.id}` }, deliveryDates: date };
      const { status, text } = await shopper.ask(selectShipping(chosen));
      expect(status, text).to.equal(200);
      const { invoiceId } = (await shopper.pay()).body;
      await shopper.payWith(invoiceId);
      return orderOf(invoiceId);
    };
    const wanted = await sold({ [`so:${courier.id}`]: inTwoDays });
    const trackingUrl = 'https://track.example.com/AB1?a=1';
    const { body: made } = await pack(wanted.orderId, { [wanted.lineId]: 1 }, { trackingUrl });
    expect(made).to.include({
      requestedDeliveryDate: inTwoDays,
      isDeliveryDateGuaranteed: true,
      trackingUrl,
    });
    const some = await sold({});
    const { body: plain } = await pack(some.orderId, { [some.lineId]: 1 });
    expect(plain).to.include({ requestedDeliveryDate: null, isDeliveryDateGuaranteed: false });

    const rest = (await pack(wanted.orderId, { [wanted.lineId]: 1 })).body;
    for (const { id } of [made, rest]) await setStatus(id, 'Shipped');
    const change = (id: string, body: object) => shop.admin.put(`${management}/shipments/${id}`, body);
    const statusNow = async () => (await shop.shown(`/orders/${wanted.invoiceId}`)).orders[0].status;
    const arrived = await change(made.id, {
      actualDeliveryDate: '2026-03-02T10:00:00Z',
      trackingNumber: 'N1',
    });
    expect(arrived.status).to.equal(200);
    expect(arrived.body).to.include({ status: 'Shipped', trackingNumber: 'N1', trackingUrl });
    expect(Date.parse(arrived.body.actualDeliveryDate)).to.equal(Date.parse('2026-03-02T10:00:00Z'));
    expect(await statusNow()).to.equal('Shipped');
    await change(rest.id, { actualDeliveryDate: '2026-03-03T10:00:00Z' });
    expect(await statusNow()).to.equal('Completed');
    // What is left out or null stays.
    const kept = await change(made.id, { trackingNumber: null });
    expect(kept.body).to.include({ trackingNumber: 'N1', trackingUrl });
  });

  it('are made by an order that is moved by hand, which cancels with its reason', async () => {
    const before = await levels();
    const sold = await buy();
    const done = await move(sold.orderId, 'Completed');
    expect([done.status, done.body.status]).to.deep.equal([200, 'Completed']);
    expect(done.body.shipments[0]).to.include({ status: 'Delivered' });
    expect(await levels()).to.deep.equal({ stock: before.stock - 2, reserved: before.reserved });
    const given = await buy();
    expect((await move(given.orderId, 70, 'Out of clay')).body.status).to.equal('Cancelled');
    expect(await levels()).to.deep.equal({ stock: before.stock - 2, reserved: before.reserved });
    expect(await shop.shown(`/orders/${given.invoiceId}`)).to.include({
      isCancelled: true,
      cancellationReason: 'Out of clay',
    });
  });

  it('are made once under one key, and deleted once', async () => {
    const { invoiceId, orderId, lineId } = await buy();
    const headers = { 'Idempotency-Key': newId() };
    const path = `${management}/orders/${orderId}/shipments`;
    const [one, two] = await Promise.all([
      shop.admin.post(path, { lineItems: { [lineId]: 1 } }, headers),
      shop.admin.post(path, { lineItems: { [lineId]: 1 } }, headers),
    ]);
    const made = [one, two].find(({ status }) => status === 201);
    const later = await shop.admin.post(path, { lineItems: { [lineId]: 1 } }, headers);
    expect(later.body.id).to.equal(made?.body.id);
    expect((await shop.shown(`/orders/${invoiceId}/fulfillment-summary`)).orders[0].shipments).to.have.length(
      1,
    );
  });

  describe('are refused, and nothing is written', () => {
    let sold: { invoiceId: string; orderId: string; lineId: string };
    let delivered: string;
    let packed: string;
    before(async () => {
      sold = await buy(3);
      delivered = (await pack(sold.orderId, { [sold.lineId]: 1 })).body.id;
      await setStatus(delivered, 'Shipped');
      await setStatus(delivered, 'Delivered');
      packed = (await pack(sold.orderId, { [sold.lineId]: 1 })).body.id;
    });

    const refused = async (ask: () => ReturnType<typeof pack>, status: number, message: string | RegExp) => {
      await shop.settle();
      const before = (await shop.shop.runtime.store.readAll(0, 10_000)).length;
      const answer = await ask();
      const told = [answer.body.message, ...(answer.body.errors ?? [])].join(' | ');
      expect(answer.status, told).to.equal(status);
      expect(told).to.match(typeof message === 'string' ? new RegExp(message) : message);
      expect((await shop.shop.runtime.store.readAll(0, 10_000)).length).to.equal(before);
    };

    it('of more than is left, unknown lines, a line twice, nothing, fractions', async () => {
      const { orderId, lineId } = sold;
      await refused(() => pack(orderId, { [lineId]: 2 }), 400, 'must be at most 1, not 2');
      await refused(() => pack(orderId, { [newId()]: 1 }), 400, 'must be a line of the order');
      const twice = [
        { lineItemId: lineId, quantity: 1 },
        { lineItemId: lineId, quantity: 1 },
      ];
      await refused(() => pack(orderId, twice), 400, 'must name each line once');
      await refused(() => pack(orderId, {}), 400, 'lineItems: must be 1 to 1000 lines');
      await refused(() => pack(orderId, []), 400, 'lineItems: must be 1 to 1000 lines');
      for (const quantity of [0, -1, 1.5, '1']) {
        await refused(() => pack(orderId, { [lineId]: quantity }), 400, 'lineItems');
      }
      await refused(() => pack(orderId, undefined), 400, 'lineItems');
      await refused(() => pack(orderId, { mug: 1 }), 400, 'lineItems');
      await refused(
        () => pack(orderId, { [lineId]: 1 }, { trackingUrl: 'javascript:alert(1)' }),
        400,
        'trackingUrl',
      );
      await refused(() => pack(orderId, { [lineId]: 1 }, { carrier: 'x'.repeat(251) }), 400, 'carrier');
    });

    it('of addresses that no browser may follow, and of files', async () => {
      const { orderId, lineId } = sold;
      for (const trackingUrl of ['ftp://example.com/1', 'somewhere', 'x'.repeat(2100), 7]) {
        await refused(() => pack(orderId, { [lineId]: 1 }, { trackingUrl }), 400, 'trackingUrl');
        await refused(
          () => shop.admin.put(`${management}/shipments/${packed}`, { trackingUrl }),
          400,
          'trackingUrl',
        );
        await refused(() => setStatus(packed, 'Shipped', { trackingUrl }), 400, 'trackingUrl');
      }
      const shopper = new Customer(shop.base);
      await shopper.add(mug);
      await shopper.register('ada@example.com', await shop.sell('song', { price: 1, isDigital: true }));
      await shopper.initialize();
      const { invoiceId } = (await shopper.pay()).body;
      await shopper.payWith(invoiceId);
      const orders = (await shop.shown(`/orders/${invoiceId}`)).orders as {
        id: string;
        lineItems: { id: string; sku: string }[];
      }[];
      const [order] = orders.filter(({ lineItems }) => lineItems.some(({ sku }) => sku === 'song'));
      const file = order?.lineItems.find(({ sku }) => sku === 'song');
      await refused(
        () => pack(order?.id ?? '', { [file?.id ?? '']: 1 }),
        400,
        'must be a line that is shipped, not a digital one',
      );
    });

    it('of orders that nobody knows, of sales that are not confirmed', async () => {
      await refused(() => pack(newId(), { [newId()]: 1 }), 404, 'order');
      const unpaid = await orderOf((await place()).invoiceId);
      await refused(() => pack(unpaid.orderId, { [unpaid.lineId]: 1 }), 400, 'confirmed');
      await refused(() => move(unpaid.orderId, 'Completed'), 400, 'confirmed');
      await refused(() => move(unpaid.orderId, 'Shipped'), 400, 'cannot go from Pending to Shipped');
    });

    it('of moves that no shipment makes', async () => {
      await refused(() => setStatus(packed, 'Delivered'), 400, 'cannot go from Preparing to Delivered');
      for (const status of ['Preparing', 'Shipped', 'Cancelled']) {
        await refused(() => setStatus(delivered, status), 400, `cannot go from Delivered to ${status}`);
      }
      await refused(() => setStatus(delivered, 'Lost'), 400, 'newStatus');
      await refused(() => setStatus(newId(), 'Shipped'), 404, 'shipment');
      await refused(() => shop.admin.delete(`${management}/shipments/${delivered}`), 400, 'delivered');
      await refused(() => shop.admin.delete(`${management}/shipments/${newId()}`), 404, 'shipment');
      const when = { actualDeliveryDate: 'inTwoDays' };
      await refused(
        () => shop.admin.put(`${management}/shipments/${packed}`, when),
        400,
        'actualDeliveryDate',
      );
      await refused(() => shop.admin.put(`${management}/shipments/${newId()}`, {}), 404, 'shipment');
    });

    it('of moves that no order makes', async () => {
      const { orderId } = sold;
      await refused(() => move(orderId, 'Cancelled'), 400, 'cannot go from PartiallyShipped to Cancelled');
      await refused(() => move(orderId, 'Gone'), 400, 'status');
      await refused(() => move(newId(), 'OnHold'), 404, 'order');
      await refused(() => move(orderId, 'OnHold', 'x'.repeat(5001)), 400, 'reason');
    });
  });
});

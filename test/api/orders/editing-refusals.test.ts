import { expect } from 'chai';
import { manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';

/** docs/rules/invoice-editing.md */
describe('An edit is refused, and nothing is written', () => {
  let shop: TestShop;
  let mug: string;
  let tea: string;
  let ebook: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    tea = await shop.sell('tea', { price: 4, stock: 3 });
    ebook = await shop.sell('ebook', { price: 3, isDigital: true });
    await shop.rule('BIG', {
      method: 'Code',
      code: 'BIG',
      minimumPurchaseAmount: 500,
    });
    await shop.discount('TEN', 10);
  });
  after(() => shop.close());

  const buy = async (...others: readonly string[]): Promise<string> => {
    const shopper = shop.shopper();
    for (const other of others) await shopper.add(other, 1);
    await shopper.prepare(mug, 2);
    const { invoiceId } = (await shopper.pay()).body;
    await shopper.payWith(invoiceId);
    await shop.settle();
    return invoiceId;
  };
  const shown = async (id: string) => (await shop.admin.ask(manage.get(`/orders/${id}/edit`))).body;
  const edit = (id: string, body: object) => shop.admin.ask(manage.put(`/orders/${id}/edit`, body));
  const refused = async (id: string, body: object, expected: object) => {
    const events = (await eventsIn(shop)).length;
    for (const answer of [
      await shop.admin.post(`${management}/orders/${id}/preview-edit`, body),
      await edit(id, body),
    ])
      expect({ status: answer.status, ...answer.body }).to.deep.include({ status: 400, ...expected });
    expect((await eventsIn(shop)).length).to.equal(events);
  };
  const mugsIn = async (id: string) => {
    const [order] = (await shown(id)).orders;
    return {
      orderId: order.id,
      lineId: order.lineItems.find((line: { sku: string }) => line.sku === 'mug').id,
    };
  };
  const pack = async (id: string, quantity: number): Promise<void> => {
    const { orderId, lineId } = await mugsIn(id);
    const body = { lineItems: { [lineId]: quantity } };
    expect((await shop.admin.post(`${management}/orders/${orderId}/shipments`, body)).status).to.equal(201);
  };
  const move = async (id: string, status: string): Promise<void> => {
    const { orderId } = await mugsIn(id);
    const answer = await shop.admin.put(`${management}/orders/${orderId}/status`, { status });
    expect([answer.status, answer.body.message]).to.deep.equal([200, undefined]);
  };

  it('of an invoice of which something has been shipped', async () => {
    const id = await buy();
    await move(id, 'Shipped');
    const reason = 'Goods of this invoice have been shipped.';
    expect(await shown(id)).to.include({ canEdit: false, cannotEditReason: reason });
    await refused(id, { orderDiscounts: [{ type: 'Percentage', value: 5 }] }, { message: reason });
  });

  it('of a cancelled one, and of one of which everything is completed', async () => {
    const [cancelled, completed] = [await buy(), await buy()];
    await shop.admin.post(`${management}/orders/${cancelled}/cancel`, { reason: 'Not wanted' });
    await move(completed, 'Completed');
    const body = { orderDiscounts: [{ type: 'Percentage', value: 5 }] };
    await refused(cancelled, body, { message: 'The invoice is cancelled.' });
    await refused(completed, body, { message: 'Everything of this invoice is completed.' });
  });

  it('below what is packed; what is packed may stay', async () => {
    const id = await buy();
    await pack(id, 1);
    const { lineId } = await mugsIn(id);
    const errors = (field: string) => ({
      errors: [`${field}: must be at least 1: that many are in a shipment`],
    });
    await refused(id, { removedLineItems: [{ id: lineId }] }, errors('removedLineItems.0.id'));
    const answer = await edit(id, { lineItems: [{ id: lineId, quantity: 1 }] });
    expect([answer.status, answer.body.invoice?.total]).to.deep.equal([200, 17]);
  });

  it('above the stock, with both numbers, on a line that is there and on a new one', async () => {
    const id = await buy(tea);
    const line = (await shown(id)).orders[0].lineItems.find((one: { sku: string }) => one.sku === 'tea');
    const numbers = { requestedQuantity: 3, availableQuantity: 2 };
    const message = 'Product tea: 3 more wanted, 2 available.';
    await refused(id, { lineItems: [{ id: line.id, quantity: 4 }] }, { message, ...numbers });
    await refused(id, { productsToAdd: [{ productId: tea, quantity: 3 }] }, { message, ...numbers });
    const both = {
      lineItems: [{ id: line.id, quantity: 2 }],
      productsToAdd: [{ productId: tea, quantity: 2 }],
    };
    await refused(id, both, { message, ...numbers });
  });

  it('by a code that there is not, does not apply, or is there already', async () => {
    const id = await buy();
    const withCode = (code: string) => ({ orderDiscountCodes: [code] });
    await refused(id, withCode('NONE'), { errorCode: 'NotFound' });
    await refused(id, withCode('BIG'), { errorCode: 'MinimumRequirementNotMet' });
    expect((await edit(id, withCode('TEN'))).body.invoice.discountTotal).to.equal(2);
    await refused(id, withCode('TEN'), { errorCode: 'AlreadyApplied' });
  });

  it('below nothing by the add-ons of a line that is written by hand', async () => {
    const id = await buy();
    const addons = [{ key: 'Old for new', value: 'yes', priceAdjustment: -5 }];
    const item = { name: 'Engraving', amount: 1, addons };
    const errors = ['customItems.0.addons: must be a unit that costs 0 or more'];
    await refused(id, { customItems: [item] }, { errors });
  });

  it('on top of an order that is completed: what is new goes with another one', async () => {
    const id = await buy();
    const second = { name: 'Leith', address: { countryCode: 'GB' } };
    const warehouseId = (await shop.admin.ask(manage.post('/warehouses', second))).body.id;
    await shop.settle();
    await edit(id, { customItems: [{ name: 'Stand', amount: 2, warehouseId }] });
    await move(id, 'Completed');
    const { lineId } = await mugsIn(id);
    const errors = ['lineItems.0: must be at most 2: the order is completed'];
    await refused(id, { lineItems: [{ id: lineId, quantity: 3 }] }, { errors });
    const { invoice } = (await edit(id, { productsToAdd: [{ productId: mug }, { productId: ebook }] })).body;
    const orders: readonly { status: string; lineItems: readonly { sku: string }[] }[] = invoice.orders;
    expect(orders.map(({ status, lineItems }) => [status, ...lineItems.map(({ sku }) => sku)])).to.deep.equal(
      [
        ['Completed', 'mug'],
        ['Pending', '', 'ebook'],
        ['Pending', 'mug'],
      ],
    );
    const payment = { amount: invoice.balanceDue, paymentMethod: 'Cash' };
    await shop.admin.post(`${management}/invoices/${id}/payments/manual`, payment);
    const paid: readonly { status: string }[] = (await shown(id)).orders;
    expect(paid.map(({ status }) => status)).to.deep.equal(['Completed', 'ReadyToFulfill', 'ReadyToFulfill']);
  });

  it('no discount is refused for being more than there is: it is cut, and said so', async () => {
    const id = await buy();
    const answer = await edit(id, {
      orderDiscounts: [{ type: 'FixedAmount', value: 50, displayName: 'Sorry' }],
    });
    expect(answer.body.warnings).to.deep.equal([
      'Sorry takes off £20.00, not £50.00: no more is left to take it from.',
    ]);
    expect(answer.body.invoice).to.include({ discountTotal: 20, tax: 0, total: 5 });
  });

  it('goes to the warehouse of the option that a line names alone', async () => {
    const id = await buy();
    const address = { countryCode: 'GB' };
    const warehouseId = (await shop.admin.ask(manage.post('/warehouses', { name: 'Cork', address }))).body.id;
    const option = { name: 'Cork parcel', warehouseId, fixedCost: 2 };
    const shippingOptionId = (await shop.admin.ask(manage.post('/shipping-options', option))).body.id;
    await shop.settle();
    const { body } = await edit(id, { customItems: [{ name: 'Stand', amount: 2, shippingOptionId }] });
    expect(body.invoice.orders[1]).to.include({ warehouseId, shippingOptionId, shippingCost: 2 });
  });
});

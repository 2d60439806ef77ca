import { expect } from 'chai';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';
const unknownId = '5f0d6c5e-5a3e-47a1-9f3b-6f2f0b9f7a11';

describe('Editing invoices', () => {
  let shop: TestShop;
  let mug: string;
  let tea: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
    tea = await shop.sell('tea', { price: 4, stock: 5 });
  });
  after(() => shop.close());

  const order = async (quantity = 2): Promise<{ invoiceId: string; shopper: Shopper }> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, quantity);
    return { invoiceId: (await shopper.pay()).body.invoiceId, shopper };
  };
  const buy = async (quantity = 2): Promise<string> => {
    const { invoiceId, shopper } = await order(quantity);
    await shopper.payWith(invoiceId);
    return invoiceId;
  };
  const shown = async (id: string) => (await shop.admin.get(`${management}/orders/${id}/edit`)).body;
  const preview = (id: string, body: object) =>
    shop.admin.post(`${management}/orders/${id}/preview-edit`, body);
  const edit = (id: string, body: object) => shop.admin.put(`${management}/orders/${id}/edit`, body);
  const report = async () => {
    await shop.settle();
    const query = 'startDate=2020-01-01&endDate=2029-12-31&compareMode=None';
    return (await shop.admin.get(`${management}/reporting/breakdown?${query}`)).body;
  };
  const stockOf = async (productId: string): Promise<readonly [stock: number, reserved: number]> => {
    const moves = (await eventsIn(shop)).filter(
      ({ stream, data }) =>
        stream.startsWith('stock-') && (data as { productId: string }).productId === productId,
    );
    const last = moves.at(-1)?.data as { stock: number; reserved?: number };
    return [last.stock, last.reserved ?? 0];
  };
  const firstLine = async (id: string): Promise<string> => (await shown(id)).orders[0].lineItems[0].id;

  it('shows what can be edited, and what it comes to', async () => {
    const id = await buy();
    expect(await shown(id)).to.deep.include({
      id,
      version: 0,
      canEdit: true,
      cannotEditReason: null,
      fulfillmentStatus: 'Unfulfilled',
      shippingCountryCode: 'GB',
      subTotal: 20,
      tax: 4,
      shippingTotal: 5,
      total: 29,
    });
  });

  it('takes one of two out: goods go back, money stays as credit, the sale is smaller on its day', async () => {
    const before = await report();
    const [stock, reserved] = await stockOf(mug);
    const id = await buy();
    const body = {
      version: 0,
      lineItems: [{ id: await firstLine(id), quantity: 1 }],
      editReason: 'One broke',
    };
    const seen = await preview(id, body);
    expect(seen.body).to.include({
      subTotal: 10,
      tax: 2,
      shippingTotal: 5,
      total: 17,
      totalInStoreCurrency: 17,
    });
    const answer = await edit(id, body);
    expect([answer.status, answer.body.isSuccessful, answer.body.warnings]).to.deep.equal([200, true, []]);
    expect(answer.body.invoice).to.include({ version: 1, total: 17, balanceDue: 0, creditDue: 12 });
    expect(await stockOf(mug)).to.deep.equal([stock, reserved + 1]);
    const after = await report();
    expect([after.grossSales - before.grossSales, after.taxes - before.taxes]).to.deep.equal([10, 2]);
    const detail = (await shop.admin.get(`${management}/orders/${id}`)).body;
    expect(detail).to.include({ total: 17, creditDue: 12, itemCount: 1 });
    expect(detail.notes.at(-1).text).to.equal('Edited, from £29.00 to £17.00: One broke');
    expect(detail.orders[0].lineItems).to.have.length(1);
  });

  it('adds a product at its price of now, and reserves it', async () => {
    const id = await buy(1);
    const [, reserved] = await stockOf(tea);
    const answer = await edit(id, { productsToAdd: [{ productId: tea, quantity: 2 }] });
    expect([answer.status, answer.body.message]).to.deep.equal([200, undefined]);
    const { invoice } = answer.body;
    expect(invoice).to.include({ subTotal: 18, tax: 3.6, total: 26.6, balanceDue: 9.6 });
    expect(await stockOf(tea)).to.deep.equal([5, reserved + 2]);
    const again = await edit(id, { productsToAdd: [{ productId: tea, quantity: 4 }] });
    expect([
      again.status,
      again.body.message,
      again.body.requestedQuantity,
      again.body.availableQuantity,
    ]).to.deep.equal([400, 'Product tea: 4 more wanted, 3 available.', 4, 3]);
    expect(await stockOf(tea)).to.deep.equal([5, reserved + 2]);
    const gone = await edit(id, {
      removedLineItems: [{ id: invoice.orders[0].lineItems[1].id, shouldReturnToStock: false }],
    });
    expect(gone.body.invoice).to.include({ total: 17, balanceDue: 0 });
    expect(await stockOf(tea)).to.deep.equal([3, reserved]);
  });

  it('opens an order for what leaves from elsewhere, and that order is shipped like any other', async () => {
    const made = await shop.admin.post(`${management}/warehouses`, {
      name: 'Annex',
      address: { countryCode: 'GB' },
    });
    const id = await buy();
    const customItems = [{ name: 'Sign', amount: 1, warehouseId: made.body.id }];
    const { invoice } = (await edit(id, { customItems })).body;
    const [, { id: orderId, lineItems }] = invoice.orders;
    const packed = await shop.admin.post(`${management}/orders/${orderId}/shipments`, {
      lineItems: { [lineItems[0].id]: 1 },
    });
    expect([packed.status, packed.body.orderId]).to.deep.equal([201, orderId]);
  });

  it('tells one of two who have read the same', async () => {
    const id = await buy();
    const change = { version: 0, orderDiscounts: [{ type: 'FixedAmount', value: 1 }] };
    const answers = await Promise.all([edit(id, change), edit(id, change)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.message).to.match(
      /^This invoice was edited meanwhile/,
    );
    expect((await shown(id)).total).to.equal(27.8);
  });

  it('refuses what is not there, all at once, and changes nothing', async () => {
    const id = await buy();
    const events = (await eventsIn(shop)).length;
    const refused = await edit(id, {
      lineItems: [{ id: unknownId, quantity: 1 }],
      removedOrderDiscounts: [unknownId],
      orderShippingUpdates: [{ orderId: unknownId, shippingCost: 1 }],
    });
    expect([refused.status, refused.body.errors]).to.deep.equal([
      400,
      [
        'lineItems.0: must be a line of this invoice',
        `orderShippingUpdates.0.orderId: must be an order of this invoice`,
        'removedOrderDiscounts.0: must be a discount of this invoice',
      ],
    ]);
    expect((await eventsIn(shop)).length).to.equal(events);
  });
});

import { expect } from 'chai';
import { keyed, manage } from '#test/support/requests.ts';
import { managing } from '#test/support/managing.ts';
import { body, events, noNewEvents } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

const ada = {
  ...{ name: 'Ada Lovelace', email: 'ada@example.com', addressOne: '12 St James Square' },
  ...{ townCity: 'London', postalCode: 'SW1Y 4JH', countryCode: 'GB' },
};

interface Line {
  readonly productId: string | null;
  readonly quantity: number;
}

interface Moved {
  readonly productId: string;
  readonly warehouseId: string;
  readonly stock: number;
  readonly reserved?: number;
}

/** Furnished with a warehouse in Hull that sends anywhere for 5.00, and 20 % tax in GB. */
describe('products that staff sell by telephone (docs/rules/manual-orders.md#products)', () => {
  let shop: TestShop;
  let hull: string;
  before(async () => {
    shop = await TestShop.open();
    hull = (await shop.shown('/warehouses')).items[0].id;
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const order = (lineItems: readonly object[], more: object = {}) =>
    manage.post('/orders/manual', { billingAddress: ada, lineItems, ...more });
  const sell = (lineItems: readonly object[], more: object = {}) => when(order(lineItems, more));
  const sold = async (lineItems: readonly object[], more: object = {}) =>
    shop.shown(`/orders/${(await sell(lineItems, more).then(200)).body.invoiceId}`);
  /** What the last move of a stock row has left: units there, and those that are reserved. */
  const levels = async (variantId: string, house = hull): Promise<readonly [number, number]> => {
    const rows = (await eventsIn(shop)).filter(({ stream }) => stream.startsWith('stock-'));
    const moves = rows.map(({ data }) => data as Moved);
    const row = moves.findLast(
      ({ productId, warehouseId }) => productId === variantId && warehouseId === house,
    );
    return [row?.stock ?? 0, row?.reserved ?? 0];
  };

  it('cost what the catalogue says, with the tax of their group and what it costs to send them', async () => {
    const mug = await shop.sell('mug', { price: 10, stock: 5 });
    await sell([{ productId: mug, quantity: 2 }])
      .then(200, { success: true, isSuccessful: true })
      .and(
        events(
          'ValueClaimed',
          'CustomerRegistered',
          'ManualOrderRequested',
          'StockReserved',
          'CustomerSaleRecorded',
          'InvoiceNumberTaken',
          'InvoiceCreated',
          'InvoiceNoted',
          'SaleConfirmed',
          'CustomerOutstandingChanged',
          'OutstandingNoted',
        ),
      );
    const detail = await shop.shown(`/orders/${(await shop.shown('/orders')).items[0].id}`);
    // 2 x 10.00, 20 % of it, and 5.00 to send it.
    expect(detail).to.include({ subTotal: 20, tax: 4, shippingCost: 5, total: 29, paymentStatus: 'Unpaid' });
    const [only] = detail.orders;
    expect(only).to.include({ warehouseId: hull, shippingCost: 5, status: 'Pending' });
    expect(only.lineItems[0]).to.include({
      ...{ lineItemType: 'Product', productId: mug, sku: 'mug', quantity: 2 },
      ...{ unitPrice: 10, lineTotal: 20, tax: 4 },
    });
    expect(await levels(mug)).to.deep.equal([5, 2]);
  });

  it('cost what staff say', async () => {
    const mug = await shop.sell('cheap', { price: 10, stock: 5 });
    const { subTotal, orders } = await sold([
      { productId: mug, price: 7.5, quantity: 2 },
      { productId: mug, price: 0 },
    ]);
    expect(subTotal).to.equal(15);
    expect(orders[0].lineItems.map(({ unitPrice }: { unitPrice: number }) => unitPrice)).to.deep.equal([
      7.5, 0,
    ]);
    expect(await levels(mug)).to.deep.equal([5, 3]);
  });

  it('name their options, as in a sale', async () => {
    const options = [{ name: 'Size', isVariant: true, values: [{ name: 'large' }] }];
    await shop.sell('shirt', { price: 10, options });
    const { variants } = await shop.shown(
      `/products/${(await shop.shown('/products?search=shirt')).items[0].id}`,
    );
    const productId = variants.find(
      ({ selectedOptions }: { selectedOptions: unknown[] }) => selectedOptions.length > 0,
    ).id;
    const { orders } = await sold([{ productId }]);
    expect(orders[0].lineItems[0].selectedOptions).to.deep.equal([
      { optionName: 'Size', valueName: 'large' },
    ]);
  });

  it('leave together with what staff write by hand', async () => {
    const mug = await shop.sell('with', { price: 10, stock: 5 });
    const { orders, itemCount } = await sold([{ productId: mug }], {
      customItems: [{ name: 'Engraving', amount: 3 }],
    });
    expect(orders).to.have.length(1);
    expect(orders[0].lineItems.map(({ productId }: Line) => productId)).to.deep.equal([mug, null]);
    expect(itemCount).to.equal(2);
  });

  it('weigh what they weigh', async () => {
    const place = { countryCode: 'GB', regionCode: null };
    const weightTiers = [{ ...place, minWeightKg: 5, maxWeightKg: null, surcharge: 6 }];
    const warehouseId = (await make('/warehouses', { name: 'Heavy', address: { countryCode: 'GB' } })).id;
    await make('/shipping-options', { name: 'Lorry', warehouseId, fixedCost: 4, weightTiers });
    const more = { warehouses: [{ warehouseId }], stock: [{ warehouseId, stock: 9 }] };
    const anvil = await shop.sell('anvil', { price: 10, weightKg: 2.5, more });
    const costs = [];
    for (const quantity of [1, 2]) {
      const [sent] = (await sold([{ productId: anvil, quantity }])).orders;
      costs.push(sent.shippingCost);
    }
    expect(costs).to.deep.equal([4, 10]);
  });

  it('come from where there is enough, from two warehouses where one has too few', async () => {
    const west = (await make('/warehouses', { name: 'West', address: { countryCode: 'GB' } })).id;
    const boat = (await make('/shipping-options', { name: 'Boat', warehouseId: west, fixedCost: 2 })).id;
    const rows = { stock: [hull, west].map((warehouseId) => ({ warehouseId, stock: 3 })) };
    const places = [hull, west].map((warehouseId, priorityOrder) => ({ warehouseId, priorityOrder }));
    const mug = await shop.sell('split', { price: 10, more: { ...rows, warehouses: places } });
    const { orders, shippingCost } = await sold([{ productId: mug, quantity: 5 }]);
    const parts = orders.map(({ warehouseId, lineItems }: { warehouseId: string; lineItems: Line[] }) => [
      warehouseId,
      lineItems[0]?.quantity,
    ]);
    expect(parts).to.deep.equal([
      [hull, 3],
      [west, 2],
    ]);
    expect(shippingCost).to.equal(7);
    expect([await levels(mug), await levels(mug, west)]).to.deep.equal([
      [3, 3],
      [3, 2],
    ]);
    const [named] = (await sold([{ productId: mug, shippingOptionId: boat }])).orders;
    expect(named).to.include({ warehouseId: west, shippingOptionId: boat, shippingCost: 2 });
    expect(await levels(mug, west)).to.deep.equal([3, 3]);
  });

  it('that are digital are sent by nobody, and reserve nothing', async () => {
    const song = await shop.sell('song', { price: 3, isDigital: true });
    const { orders, shippingCost } = await sold([{ productId: song }]);
    expect([shippingCost, orders.length, orders[0].warehouseId]).to.deep.equal([0, 1, null]);
  });

  it('that nobody counts reserve nothing', async () => {
    const sand = await shop.sell('sand', { price: 3 });
    await sell([{ productId: sand, quantity: 4000 }])
      .then(200)
      .and(async ({ newEvents }) => expect(await newEvents()).not.to.include('StockReserved'));
  });

  it('are refused where there are too few, with all that would be reserved, and nothing is written', async () => {
    const [lamp, mug] = [
      await shop.sell('l', { price: 3, stock: 9 }),
      await shop.sell('few', { price: 3, stock: 2 }),
    ];
    await sell([{ productId: lamp }, { productId: mug, quantity: 2 }, { productId: mug }])
      .then(400, {
        message: 'Product few: 1 wanted, 0 available.',
        ...{ requestedQuantity: 1, availableQuantity: 0 },
      })
      .and(noNewEvents());
    expect(await levels(lamp)).to.deep.equal([9, 0]);
  });

  it('are sold once where two want the last one at the same time', async () => {
    const [mug, other] = [
      await shop.sell('last', { price: 3, stock: 1 }),
      await shop.sell('other', { price: 3, stock: 9 }),
    ];
    const lines = [{ productId: other }, { productId: mug }];
    const both = await Promise.all(['one', 'two'].map((key) => shop.admin.ask(keyed(key, order(lines)))));
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    const refused = both.find(({ status }) => status === 400)?.body;
    expect(refused.message).to.equal('Product last: 1 wanted, 0 available.');
    await shop.settle();
    expect([await levels(mug), await levels(other)]).to.deep.equal([
      [1, 1],
      [9, 1],
    ]);
    // Neither is another one made under the same keys.
    const again = await Promise.all(['one', 'two'].map((key) => shop.admin.ask(keyed(key, order(lines)))));
    expect(again.map(({ body: made }) => made)).to.deep.equal(both.map(({ body: made }) => made));
  });

  it('are back on the shelf once they are cancelled', async () => {
    const mug = await shop.sell('back', { price: 3, stock: 4 });
    const { id } = await sold([{ productId: mug, quantity: 3 }]);
    expect(await levels(mug)).to.deep.equal([4, 3]);
    await when(manage.post(`/orders/${id}/cancel`, { reason: 'Sold twice' })).then(200);
    await shop.settle();
    expect(await levels(mug)).to.deep.equal([4, 0]);
  });

  it('leave the stock with their shipment', async () => {
    const mug = await shop.sell('sent', { price: 3, stock: 4 });
    const { orders, canFulfill } = await sold([{ productId: mug, quantity: 3 }]);
    expect(canFulfill).to.equal(true);
    const lineItems = { [orders[0].lineItems[0].id]: 2 };
    await when(manage.post(`/orders/${orders[0].id}/shipments`, { lineItems })).then(201);
    await shop.settle();
    expect(await levels(mug)).to.deep.equal([2, 1]);
  });

  it('are edited like any other sale', async () => {
    const mug = await shop.sell('edited', { price: 3, stock: 9 });
    const { id, orders } = await sold([{ productId: mug, quantity: 3 }]);
    const lineItems = [{ id: orders[0].lineItems[0].id, quantity: 5 }];
    await when(manage.put(`/orders/${id}/edit`, { lineItems })).then(200, { isSuccessful: true });
    await shop.settle();
    expect(await levels(mug)).to.deep.equal([9, 5]);
  });

  it('are made once under one idempotency key, the last unit too', async () => {
    const mug = await shop.sell('once', { price: 3, stock: 1 });
    const request = keyed('products-1', order([{ productId: mug }]));
    const first = (await when(request).then(200)).body;
    await when(request).then(200, first).and(noNewEvents());
    expect(await levels(mug)).to.deep.equal([1, 1]);
  });

  for (const [what, lines, ...expected] of [
    ['no product', [{}], 'lineItems.0.productId: must be a GUID'],
    [
      'a product that there is not, and places that there are not',
      [{ productId: nobody, warehouseId: nobody, shippingOptionId: nobody }],
      'lineItems.0.productId: must be an existing product',
      'lineItems.0.warehouseId: must be an existing warehouse',
      'lineItems.0.shippingOptionId: must be an existing shipping option',
    ],
    [
      'figures that are none',
      [{ productId: nobody, quantity: 0, price: -1 }],
      'lineItems.0.quantity: must be 1 or more',
      'lineItems.0.price: must be 0 or more',
      'lineItems.0.productId: must be an existing product',
    ],
    [
      'names of lines that are written by hand',
      [{ name: 'Lamp', amount: 4 }],
      'lineItems.0.productId: must be a GUID',
    ],
  ] as const)
    it(`are refused with ${what}, and nothing is written`, async () => {
      await sell(lines)
        .then(400, { success: false })
        .and(body(({ errors }) => expect(errors).to.deep.equal(expected)))
        .and(noNewEvents());
    });

  it('are refused from a warehouse that does not stock them, and to where nobody sends them', async () => {
    const house = { address: { countryCode: 'GB' }, serviceRegions: [{ countryCode: 'GB' }] };
    const warehouseId = (await make('/warehouses', { name: 'Home', ...house })).id;
    await make('/shipping-options', { name: 'Van', warehouseId, fixedCost: 4 });
    const stock = [{ warehouseId, stock: 4 }];
    const mug = await shop.sell('nowhere', { price: 3, more: { warehouses: [{ warehouseId }], stock } });
    const elsewhere = (await make('/warehouses', { name: 'East', address: { countryCode: 'GB' } })).id;
    await sell([{ productId: mug, warehouseId: elsewhere }])
      .then(400, { errors: ['lineItems.0.warehouseId: must be a warehouse that stocks the product'] })
      .and(noNewEvents());
    const inOslo = { ...ada, townCity: 'Oslo', postalCode: '0150', countryCode: 'NO' };
    await sell([{ productId: mug }], { shippingAddress: inOslo })
      .then(400, { errors: ['lineItems.0.productId: Product nowhere cannot be shipped to Norway.'] })
      .and(noNewEvents());
  });
});

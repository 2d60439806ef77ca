import { expect } from 'chai';
import { manage, keyed } from '#test/support/requests.ts';
import { managing } from '#test/support/managing.ts';
import { body, events, noNewEvents } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

const noLine = 'lineItems: must be at least one line, here or in customItems';

const ada = {
  name: 'Ada Lovelace',
  email: ' Ada@Example.com ',
  addressOne: '12 St James Square',
  townCity: 'London',
  postalCode: 'SW1Y 4JH',
  countryCode: 'gb',
};

describe('manual orders (docs/rules/manual-orders.md)', () => {
  let shop: TestShop;
  let taxGroupId: string;
  let warehouseId: string;
  let shippingOptionId: string;
  before(async () => {
    shop = await TestShop.open();
    const rates = [{ countryCode: 'DE', taxPercentage: 19 }];
    taxGroupId = (await make('/tax-groups', { name: 'Parts', taxPercentage: 20, rates })).id;
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const order = (...customItems: readonly object[]) => ({ billingAddress: ada, customItems });
  const sell = (...customItems: readonly object[]) =>
    when(manage.post('/orders/manual', order(...customItems)));

  describe('in a shop without a warehouse', () => {
    before(async () => {
      for (const path of ['/shipping-options', '/warehouses']) {
        const [{ id }] = (await shop.shown(path)).items;
        await when(manage.delete(`${path}/${id}`)).then(204);
      }
    });

    it('have orders that leave from nowhere', async () => {
      const { invoiceId } = (await sell({ name: 'Engraving', amount: 5 }).then(200)).body;
      const { orders } = await shop.shown(`/orders/${invoiceId}`);
      expect(orders).to.have.length(1);
      expect(orders[0]).to.include({ warehouseId: null, shippingOptionId: null, status: 'Pending' });
    });
  });

  describe('in a shop that sends', () => {
    before(async () => {
      await make('/warehouses', { name: 'Nowhere', address: { countryCode: 'GB' } });
      warehouseId = (await make('/warehouses', { name: 'East', address: { countryCode: 'GB' } })).id;
      const van = { name: 'Van', warehouseId, fixedCost: 4 };
      await make('/shipping-options', { ...van, isEnabled: false });
      shippingOptionId = (await make('/shipping-options', van)).id;
    });

    it('are invoices under the next number, whose sale is confirmed at once', async () => {
      await sell(
        { name: 'Engraving', sku: 'ENG', amount: 3.33, quantity: 3, taxGroupId },
        { name: 'Voucher', sku: 'GIFT', amount: 25, taxGroupId, isTaxable: false },
      )
        .then(200, { success: true, isSuccessful: true, invoiceNumber: 'INV-0002', errorMessage: null })
        .and(
          events(
            'ManualOrderRequested',
            'CustomerSaleRecorded',
            'InvoiceNumberTaken',
            'InvoiceCreated',
            'InvoiceNoted',
            'SaleConfirmed',
            'CustomerOutstandingChanged',
            'OutstandingNoted',
          ),
        );
      const row = (await shop.shown('/orders?search=INV-0002')).items[0];
      expect(row).to.include({
        channel: 'Manual order',
        sourceType: 'draft',
        sourceName: 'API key',
        total: 36.99,
        itemCount: 4,
        paymentStatus: 'Unpaid',
        customerName: 'Ada Lovelace',
      });
      const detail = await shop.shown(`/orders/${row.id}`);
      expect(detail).to.include({
        basketId: null,
        subTotal: 34.99,
        tax: 2,
        balanceDue: 36.99,
        dueDate: null,
      });
      expect(detail.customerEmail).to.equal('Ada@Example.com');
      expect(detail.source).to.deep.include({
        type: 'draft',
        displayName: 'Manual order',
        sourceId: 'api-key',
      });
      expect(detail.billingAddress).to.deep.equal(detail.shippingAddress);
      expect(detail.orders).to.have.length(1);
      expect(detail.orders[0]).to.include({
        status: 'Pending',
        warehouseId,
        shippingOptionId,
        shippingServiceName: 'Van',
        shippingCost: 0,
      });
      expect(detail.orders[0].lineItems[0]).to.include({
        lineItemType: 'Custom',
        productId: null,
        sku: 'ENG',
        unitPrice: 3.33,
        lineTotal: 9.99,
        tax: 2,
        taxGroupId,
      });
      expect(detail.notes).to.have.length(1);
      expect(detail.notes[0]).to.include({
        text: 'Manual order created',
        author: 'API key',
        authorId: 'api-key',
        isVisibleToCustomer: false,
      });
    });

    it('count in reports before anybody has paid', async () => {
      const report = () =>
        shop.shown('/reporting/breakdown?startDate=2020-01-01&endDate=2029-12-31&compareMode=None');
      const before = await report();
      await sell({ name: 'Lamp', amount: 40, taxGroupId }).then(200);
      const after = await report();
      expect(after.grossSales).to.be.closeTo(before.grossSales + 40, 0.001);
      expect(after.taxes).to.be.closeTo(before.taxes + 8, 0.001);
    });

    it('are taxed at the rate of where they go', async () => {
      const inBerlin = { ...ada, townCity: 'Berlin', postalCode: '10115', countryCode: 'DE' };
      const request = { ...order({ name: 'Lamp', amount: 100, taxGroupId }), shippingAddress: inBerlin };
      const { invoiceId } = (await when(manage.post('/orders/manual', request)).then(200)).body;
      expect(await shop.shown(`/orders/${invoiceId}`)).to.include({ tax: 19, total: 119 });
    });

    it('take price as another name of amount, and add-ons into the unit', async () => {
      const addons = [
        { key: 'Size', value: 'large', priceAdjustment: 2.5, costAdjustment: 0.5, skuSuffix: 'L' },
        { key: 'Colour', value: ' ', priceAdjustment: 9 },
      ];
      const { invoiceId } = (
        await sell({ name: 'Mug', sku: 'mug', price: 10, cost: 3, quantity: 2, addons }).then(200)
      ).body;
      const [line] = (await shop.shown(`/orders/${invoiceId}`)).orders[0].lineItems;
      expect(line).to.include({
        sku: 'mug-L',
        unitPrice: 12.5,
        lineTotal: 25,
        costInStoreCurrency: 3.5,
        tax: 0,
      });
      expect(line.selectedOptions).to.deep.equal([{ optionName: 'Size', valueName: 'large' }]);
    });

    it('go out by the option that is named, from its warehouse, one order for what leaves together', async () => {
      const west = (await make('/warehouses', { name: 'West', address: { countryCode: 'GB' } })).id;
      const bike = (await make('/shipping-options', { name: 'Bike', warehouseId: west, fixedCost: 1 })).id;
      const item = { name: 'Lamp', amount: 1 };
      const { invoiceId } = (
        await sell({ ...item, shippingOptionId: bike }, item, { ...item, warehouseId: west }).then(200)
      ).body;
      const { orders } = await shop.shown(`/orders/${invoiceId}`);
      expect(
        orders.map((one: { warehouseId: string; lineItems: unknown[] }) => [
          one.warehouseId,
          one.lineItems.length,
        ]),
      ).to.deep.equal([
        [west, 2],
        [warehouseId, 1],
      ]);
    });

    it('are due by the terms of their customer, and may be sent before they are paid', async () => {
      const terms = { hasAccountTerms: true, paymentTermsDays: 30, creditLimit: 1 };
      await make('/customers', { email: 'club@example.com', ...terms });
      const billingAddress = { ...ada, email: 'club@example.com' };
      const request = { billingAddress, customItems: [{ name: 'Lamp', amount: 40 }] };
      const { invoiceId } = (await when(manage.post('/orders/manual', request)).then(200)).body;
      const detail = await shop.shown(`/orders/${invoiceId}`);
      const days = (Date.parse(detail.dueDate) - Date.parse(detail.dateCreated)) / 86_400_000;
      expect([days, detail.daysUntilDue, detail.orders[0].status]).to.deep.equal([30, 30, 'ReadyToFulfill']);
    });

    it('wait for their money without terms, and are confirmed once', async () => {
      const { invoiceId } = (await sell({ name: 'Lamp', amount: 40 }).then(200)).body;
      const pay = (amount: number) =>
        when(manage.post(`/invoices/${invoiceId}/payments/manual`, { amount, paymentMethod: 'Bank' })).then(
          200,
        );
      await pay(15);
      expect((await shop.shown(`/orders/${invoiceId}`)).orders[0].status).to.equal('Pending');
      await pay(25);
      const detail = await shop.shown(`/orders/${invoiceId}`);
      expect([detail.paymentStatus, detail.orders[0].status]).to.deep.equal(['Paid', 'ReadyToFulfill']);
      const confirmed = (await eventsIn(shop)).filter(
        ({ type, stream }) => type === 'SaleConfirmed' && stream.endsWith(invoiceId),
      );
      expect(confirmed).to.have.length(1);
    });

    it('are owed by nobody once they are cancelled, though they had been sold', async () => {
      const billingAddress = { ...ada, email: 'cancels@example.com' };
      const request = { billingAddress, customItems: [{ name: 'Lamp', amount: 40 }] };
      const { invoiceId } = (await when(manage.post('/orders/manual', request)).then(200)).body;
      const { customerId } = await shop.shown(`/orders/${invoiceId}`);
      const owed = async () => (await shop.shown(`/customers/${customerId}/outstanding`)).totalOutstanding;
      expect(await owed()).to.equal(40);
      await when(manage.post(`/orders/${invoiceId}/cancel`, { reason: 'Sold twice' })).then(200, {
        cancelledOrderCount: 1,
      });
      expect(await owed()).to.equal(0);
    });

    it('take two numbers when two are sold at once to somebody new', async () => {
      const billingAddress = { ...ada, email: 'twice@example.com' };
      const request = manage.post('/orders/manual', {
        billingAddress,
        customItems: [{ name: 'Lamp', amount: 4 }],
      });
      const both = await Promise.all([1, 2].map(() => shop.admin.ask(request)));
      const numbers = both.map(({ body: { invoiceNumber } }) => invoiceNumber as string);
      expect(new Set(numbers).size).to.equal(2);
      const found = await shop.shown('/customers?search=twice@example.com');
      expect(found.items).to.have.length(1);
      expect(found.items[0].orderCount).to.equal(2);
    });

    it('are free where all of it is: paid, and ready to be sent', async () => {
      const { invoiceId } = (await sell({ name: 'Sample', amount: 0 }).then(200)).body;
      const { paymentStatus, total, orders } = await shop.shown(`/orders/${invoiceId}`);
      expect([paymentStatus, total, orders[0].status]).to.deep.equal(['Paid', 0, 'ReadyToFulfill']);
    });

    it('are made once under one idempotency key', async () => {
      const request = keyed('manual-1', manage.post('/orders/manual', order({ name: 'Lamp', amount: 4 })));
      const first = (await when(request).then(200)).body;
      await when(request).then(200, first).and(noNewEvents());
      await when(keyed('manual-1', manage.post('/orders/manual', order({ name: 'Lamp', amount: 5 }))))
        .then(409)
        .and(noNewEvents());
    });

    it('are forgotten with their customer', async () => {
      const billingAddress = { ...ada, name: 'Joan Clarke', email: 'joan@example.com' };
      const request = { billingAddress, customItems: [{ name: 'Lamp', amount: 4 }] };
      const { invoiceId } = (await when(manage.post('/orders/manual', request)).then(200)).body;
      const told = async () =>
        JSON.stringify((await eventsIn(shop)).filter(({ stream }) => stream.endsWith(invoiceId)));
      expect(await told()).to.contain('Joan');
      await shop.shop.runtime.codec.keys.forget((await shop.shown(`/orders/${invoiceId}`)).customerId);
      expect(await told()).not.to.match(/joan/i);
    });

    it('of a deleted invoice are gone from list and reports', async () => {
      const { invoiceId } = (await sell({ name: 'Lamp', amount: 40 }).then(200)).body;
      await when(manage.post('/orders/delete', { ids: [invoiceId] })).then(200, { deletedCount: 1 });
      await shop.settle();
      await when(manage.get(`/orders/${invoiceId}`)).then(404);
    });

    it('asks for no postal code in a country that has none', async () => {
      const { postalCode: _, ...inDubai } = { ...ada, townCity: 'Dubai', countryCode: 'AE' };
      const request = { ...order({ name: 'Lamp', amount: 5 }), billingAddress: inDubai };
      await when(manage.post('/orders/manual', request)).then(200);
    });

    for (const [what, wrong, ...expected] of [
      ['nothing at all', {}, 'billingAddress: must be an object', noLine],
      [
        'an empty address',
        { billingAddress: {} },
        'billingAddress.name: must be text',
        'billingAddress.addressOne: must be text',
        'billingAddress.townCity: must be text',
        'billingAddress.postalCode: must be text',
        'billingAddress.countryCode: must be text',
        'billingAddress.email: must be an e-mail address',
        noLine,
      ],
      ['no line', { billingAddress: ada, customItems: [], lineItems: [] }, noLine],
      [
        'blanks',
        { billingAddress: { ...ada, name: ' ', email: 'ada@' } },
        'billingAddress.name: must not be empty',
        'billingAddress.email: must be an e-mail address',
        noLine,
      ],
      [
        'an incomplete shipping address in a region that is not there',
        {
          billingAddress: { ...ada, countryCode: 'US', regionCode: 'ZZ' },
          shippingAddress: { ...ada, townCity: undefined },
        },
        'billingAddress.regionCode: must be a region of that country',
        'shippingAddress.townCity: must be text',
        noLine,
      ],
      [
        'an item without name and amount',
        { billingAddress: ada, customItems: [{}] },
        'customItems.0.name: must be text',
        'customItems.0.amount: must be a number',
      ],
      [
        'no unit, a part of one, too many decimals and a unit that costs less than nothing',
        {
          billingAddress: ada,
          customItems: [
            { name: 'A', amount: 1, quantity: 0 },
            { name: 'A', amount: 1, quantity: 1.5 },
            { name: 'A', amount: 1.001 },
            { name: 'A', amount: -1 },
          ],
        },
        'customItems.0.quantity: must be 1 or more',
        'customItems.1.quantity: must be a whole number',
        'customItems.2.amount: must be an amount with the decimals of the store currency',
        'customItems.3.amount: must be 0 or more',
      ],
      [
        'a unit that its add-ons make cheaper than nothing',
        {
          billingAddress: ada,
          customItems: [{ name: 'A', amount: 1, addons: [{ key: 'x', value: 'y', priceAdjustment: -2 }] }],
        },
        'customItems.0.addons: must be a unit that costs 0 or more',
      ],
      [
        'an unknown tax group, warehouse and option, beside other problems',
        {
          billingAddress: { ...ada, name: undefined },
          customItems: [
            { name: 'A', amount: 1, taxGroupId: nobody },
            { name: 'A', amount: 1, warehouseId: nobody, shippingOptionId: nobody },
          ],
        },
        'billingAddress.name: must be text',
        'customItems.0.taxGroupId: must be an existing tax group',
        'customItems.1.warehouseId: must be an existing warehouse',
        'customItems.1.shippingOptionId: must be an existing shipping option',
      ],
    ] as const) {
      it(`are refused with ${what}, and nothing is written`, async () => {
        await when(manage.post('/orders/manual', wrong))
          .then(400, { success: false })
          .and(body((found) => expect(found.errors).to.deep.equal(expected)))
          .and(noNewEvents());
      });
    }

    it('are refused with an option of another warehouse', async () => {
      const other = (await make('/warehouses', { name: 'North', address: { countryCode: 'GB' } })).id;
      await sell({ name: 'A', amount: 1, warehouseId: other, shippingOptionId })
        .then(400)
        .and(
          body((found) =>
            expect(found.errors).to.deep.equal([
              'customItems.0.shippingOptionId: must be a shipping option of that warehouse',
            ]),
          ),
        )
        .and(noNewEvents());
    });

    it('are refused when they come to more than the shop counts', async () => {
      await sell({ name: 'A', amount: 9_000_000_000, quantity: 9 }).then(400, {
        message: 'An order can be at most £9,999,999,999.99.',
      });
    });
  });
});

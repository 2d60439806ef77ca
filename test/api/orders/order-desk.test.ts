import { expect } from 'chai';
import { keyed, manage } from '#test/support/requests.ts';
import { managing } from '#test/support/managing.ts';
import { body, events, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

describe('the order desk (docs/rules/manual-orders.md#order-desk)', () => {
  let shop: TestShop;
  let mug: string;
  let id: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    id = await order();
  });
  after(() => shop.close());

  const { when } = managing(() => shop);
  const order = async (): Promise<string> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    return (await shopper.pay()).body.invoiceId;
  };
  const shown = async () => {
    await shop.settle();
    return (await when(manage.get(`/orders/${id}`)).then(200)).body;
  };
  const amounts = async () => {
    const { subTotal, tax, total, balanceDue, orders } = await shown();
    return { subTotal, tax, total, balanceDue, orders };
  };

  it('writes notes, markup as it is, once under one key', async () => {
    const text = '<b>Called</b>, wants it on Monday.';
    const wanted = { text, isVisibleToCustomer: true };
    const note = keyed('note-1', manage.post(`/orders/${id}/notes`, wanted));
    const { body: written } = await when(note)
      .then(200, { ...wanted, author: 'API key', authorId: 'api-key' })
      .and(events('InvoiceNoted'));
    await when(note).then(200, written).and(noNewEvents());
    expect((await shown()).notes).to.deep.equal([written]);
    await when(manage.post(`/orders/${id}/notes`, { text: 'Seen', visibleToCustomer: true })).then(200, {
      isVisibleToCustomer: true,
    });
    await when(manage.post(`/orders/${id}/notes`, { text: 'Own' })).then(200, { isVisibleToCustomer: false });
  });

  for (const [what, text, expected] of [
    ['a blank', ' \n ', 'text: must be text'],
    ['too long a', 'x'.repeat(5001), 'text: must be at most 5000 characters'],
    ['a missing', undefined, 'text: must be text'],
  ] as const)
    it(`refuses ${what} note`, async () => {
      await when(manage.post(`/orders/${id}/notes`, { text }))
        .then(400)
        .and(body((found) => expect(found.errors).to.deep.equal([expected])))
        .and(noNewEvents());
    });

  it('takes a note of 5,000 characters whole', async () => {
    const text = 'é'.repeat(5000);
    await when(manage.post(`/orders/${id}/notes`, { text })).then(200, { text });
  });

  it('puts addresses right, field by field, and changes no amount', async () => {
    const before = await amounts();
    await when(manage.put(`/orders/${id}/billing-address`, { name: 'Ada King', company: 'Engines Ltd' }))
      .then(200, { name: 'Ada King', firstName: 'Ada', company: 'Engines Ltd', countryCode: 'GB' })
      .and(events('BillingAddressChanged'));
    const moved = { countryCode: 'us', regionCode: 'CA', townCity: 'Fresno', postalCode: '93650' };
    await when(manage.put(`/orders/${id}/shipping-address`, moved))
      .then(200, { countryCode: 'US', country: 'United States of America', regionCode: 'CA' })
      .and(events('ShippingAddressChanged'));
    await when(manage.put(`/orders/${id}/shipping-address`, moved))
      .then(200)
      .and(noNewEvents());
    const detail = await shown();
    expect(detail.customerName).to.equal('Ada King');
    expect([detail.billingAddress.company, detail.shippingAddress.townCity]).to.deep.equal([
      'Engines Ltd',
      'Fresno',
    ]);
    expect(await amounts()).to.deep.equal(before);
    const found = (await when(manage.get('/orders?search=ada king')).then(200)).body;
    expect(found.items).to.have.length(1);
    await when(manage.put(`/orders/${id}/shipping-address`, { countryCode: 'DE' })).then(200, {
      countryCode: 'DE',
      regionCode: null,
    });
    await when(manage.put(`/orders/${id}/shipping-address`, { postalCode: '' }))
      .then(400)
      .and(body(({ errors }) => expect(errors).to.deep.equal(['postalCode: must be text'])));
    const inHongKong = { countryCode: 'HK', townCity: 'Kowloon', postalCode: '' };
    await when(manage.put(`/orders/${id}/shipping-address`, inHongKong)).then(200, { postalCode: '' });
  });

  it('has a corrected e-mail address for the order, by which it is found', async () => {
    await when(manage.put(`/orders/${id}/billing-address`, { email: 'ada.king@example.com' })).then(200);
    expect(await shown()).to.include({ customerEmail: 'ada.king@example.com' });
    const found = (await when(manage.get('/orders?search=ada.king@')).then(200)).body;
    expect(found.items).to.have.length(1);
  });

  it('refuses an address that is none, with all that is wrong', async () => {
    await when(manage.put(`/orders/${id}/billing-address`, { name: ' ', countryCode: 'XX', email: 'ada' }))
      .then(400)
      .and(
        body(({ errors }) =>
          expect(errors).to.deep.equal([
            'name: must not be empty',
            'countryCode: must be an ISO 3166-1 country code',
            'email: must be an e-mail address',
          ]),
        ),
      )
      .and(noNewEvents());
    await when(manage.put(`/orders/${id}/billing-address`, { countryCode: 'US', regionCode: 'ZZ' }))
      .then(400)
      .and(
        body(({ errors }) => expect(errors).to.deep.equal(['regionCode: must be a region of that country'])),
      );
  });

  it('puts a purchase order number right, and takes it off', async () => {
    const path = `/orders/${id}/purchase-order`;
    await when(manage.put(path, { purchaseOrder: ' PO 4711 ' }))
      .then(200)
      .and(exactly({ purchaseOrder: 'PO 4711' }))
      .and(events('PurchaseOrderNumberChanged'));
    expect((await shown()).purchaseOrder).to.equal('PO 4711');
    await when(manage.put(path, { purchaseOrder: 'PO 4711' }))
      .then(200)
      .and(noNewEvents());
    await when(manage.put(path, { purchaseOrder: '' }))
      .then(200)
      .and(exactly({ purchaseOrder: null }));
    expect((await shown()).purchaseOrder).to.be.null;
    await when(manage.put(path, {})).then(400).and(noNewEvents());
    await when(manage.put(path, { purchaseOrder: 'x'.repeat(251) }))
      .then(400)
      .and(noNewEvents());
  });

  it('forgets what was written with the customer', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 1, 'joan@example.com');
    const { invoiceId } = (await shopper.pay()).body;
    await when(manage.post(`/orders/${invoiceId}/notes`, { text: 'Joan called' })).then(200);
    await when(manage.put(`/orders/${invoiceId}/billing-address`, { name: 'Joan Clarke' })).then(200);
    await when(manage.put(`/orders/${invoiceId}/shipping-address`, { name: 'Joan Murray' })).then(200);
    await when(manage.put(`/orders/${invoiceId}/purchase-order`, { purchaseOrder: 'Joan 1' })).then(200);
    const told = async () =>
      (await eventsIn(shop)).filter(({ stream }) => stream.endsWith(invoiceId)).slice(-4);
    expect(JSON.stringify(await told()).match(/Joan/g)).to.have.length(4);
    const { customerId } = (await when(manage.get(`/orders/${invoiceId}`)).then(200)).body;
    await shop.shop.runtime.codec.keys.forget(customerId);
    expect(JSON.stringify(await told())).not.to.contain('Joan');
  });

  it('knows nothing of an invoice that is not there, or is deleted', async () => {
    const gone = await order();
    await when(manage.post('/orders/delete', { ids: [gone] })).then(200, { deletedCount: 1 });
    for (const invoiceId of [nobody, gone]) {
      for (const request of [
        manage.post(`/orders/${invoiceId}/notes`, { text: 'Called' }),
        manage.put(`/orders/${invoiceId}/billing-address`, { name: 'Ada' }),
        manage.put(`/orders/${invoiceId}/shipping-address`, { name: 'Ada' }),
        manage.put(`/orders/${invoiceId}/purchase-order`, { purchaseOrder: '1' }),
      ])
        await when(request).then(404).and(refusedFor('invoice-not-found')).and(noNewEvents());
    }
  });

  it('goes on with a cancelled invoice', async () => {
    const cancelled = await order();
    await when(manage.post(`/orders/${cancelled}/cancel`, { reason: 'Changed her mind' })).then(200);
    await when(manage.post(`/orders/${cancelled}/notes`, { text: 'Called' })).then(200);
  });
});

describe('what forms of the order desk ask (docs/rules/manual-orders.md#finding)', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
    await shop.sell('mug', { price: 10, stock: 7 });
    await shop.sell('lamp', { price: 40 });
    const colours = ['Red', 'Blue'].map((name) => ({ name, suffix: name.toUpperCase() }));
    await shop.sell('cup', { price: 5, options: [{ name: 'Colour', isVariant: true, values: colours }] });
    const terms = { hasAccountTerms: true, paymentTermsDays: 30 };
    await make('/customers', { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', ...terms });
    await make('/customers', { email: 'alan@example.com', firstName: 'Alan' });
    await shop.settle();
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const skus = async (query: string) => {
    const { items } = (await when(manage.get(`/orders/product-autocomplete?${query}`)).then(200)).body;
    return items.map(({ sku }: { sku: string }) => sku);
  };

  it('finds customers by a part of name or address, with their terms', async () => {
    for (const query of ['search=lovel', 'email=ADA@', 'name=ada']) {
      const { items } = (await when(manage.get(`/orders/customer-lookup?${query}`)).then(200)).body;
      expect(items).to.have.length(1);
      expect(items[0]).to.include({ name: 'Ada Lovelace', hasAccountTerms: true, paymentTermsDays: 30 });
      expect(items[0].customerId).to.equal(items[0].id);
    }
    await when(manage.get('/orders/customer-lookup')).then(200, { totalItems: 2, pageSize: 10 });
  });

  it('knows a customer by the e-mail address', async () => {
    await when(manage.get('/orders/customer/ALAN@example.com')).then(200, { name: 'Alan', orderCount: 0 });
    await when(manage.get('/orders/customer/nobody@example.com')).then(404);
    await when(manage.get('/orders/customer/nobody')).then(404);
  });

  it('suggests variants by name or SKU, up to the limit', async () => {
    expect(await skus('search=mug')).to.deep.equal(['mug']);
    expect(await skus('query=cup-blue')).to.deep.equal(['cup-BLUE']);
    expect(await skus('search=product')).to.have.length(4);
    expect(await skus('search=product&limit=1')).to.have.length(1);
    expect(await skus('search=product&limit=0')).to.have.length(1);
    expect(await skus('search=%25')).to.deep.equal([]);
    const { items } = (await when(manage.get('/orders/product-autocomplete?search=mug')).then(200)).body;
    expect(items[0]).to.include({ price: 10, availableStock: 7, rootName: 'Product mug' });
  });
});

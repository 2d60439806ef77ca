import { expect } from 'chai';
import type { Recorded } from '#kernel/event.ts';
import { fulfilmentCallback, type FulfilmentFault } from '#test/support/fulfilment-server.ts';
import { heard, says } from '#test/support/owners-hooks.ts';
import { openFulfillingShop, sendThrough, type FulfillingShop } from '#test/support/fulfilling-shop.ts';
import { eventsIn } from '#test/support/shop-log.ts';

const management = '/backoffice/api/v1';

describe('orders that somebody else sends (docs/rules/fulfilment.md#submission)', () => {
  let own: FulfillingShop;
  const told = async (...types: readonly string[]): Promise<readonly Recorded[]> =>
    (await eventsIn(own.shop)).filter(({ type }) => types.includes(type));
  const dataOf = async (type: string): Promise<readonly Record<string, unknown>[]> =>
    (await told(type)).map(({ data }) => data as Record<string, unknown>);
  const toggle = (isEnabled: boolean) =>
    own.shop.admin.post(`${management}/fulfilment-providers/${own.configurationId}/toggle`, { isEnabled });

  beforeEach(async () => {
    own = await openFulfillingShop();
  });
  afterEach(() => own.close());

  it('go to their provider once they are paid, with what has to be sent and where to', async () => {
    const invoiceId = await own.buy(2);
    const order = await own.orderOf(invoiceId);
    expect(order.status).to.equal('Processing');
    expect(own.server.orders).to.have.length(1);
    const [taken] = own.server.orders;
    expect(taken?.body).to.deep.include({
      orderId: order.id,
      orderNumber: 'INV-0001',
      customerEmail: 'ada@example.com',
    });
    expect(taken?.body.lineItems).to.have.length(1);
    expect(taken?.body.lineItems[0]).to.include({ sku: 'mug', quantity: 2, unitPrice: 10 });
    expect(await dataOf('FulfilmentSubmitted')).to.have.length(1);
    expect((await dataOf('FulfilmentSubmitted'))[0]).to.include({
      orderId: order.id,
      configurationId: own.configurationId,
      providerKey: 'generic-http',
      reference: 'HOUSE-1',
      providerStatus: 'processing',
    });
  });

  it('name the options, the add-ons, the way and what staff have written for one another', async () => {
    const { shop, server } = own;
    const options = [
      { name: 'Size', isVariant: true, values: [{ name: 'large' }] },
      { name: 'Wrap', isVariant: false, values: [{ name: 'Gold', priceAdjustment: 2, skuSuffix: 'GOLD' }] },
    ];
    const cup = await shop.sell('cup', { price: 5, options });
    const [{ id: productId }] = (await shop.admin.get(`${management}/products?search=cup`)).body.items;
    const product = (await shop.admin.get(`${management}/products/${productId}`)).body;
    const [{ id: optionId, values }] = product.options.filter(
      ({ name }: { name: string }) => name === 'Wrap',
    );
    const shopper = shop.shopper();
    await shopper.post('/api/shop/storefront/basket/add', {
      productId: cup,
      quantity: 2,
      addons: [{ optionId, valueId: values[0].id }],
    });
    await shopper.giveAddress();
    await shopper.initialize();
    const { invoiceId } = (await shopper.pay()).body;
    for (const [text, isVisibleToCustomer] of [
      ['Wrap it twice.', false],
      ['On its way soon.', true],
      ['Leave by the back door.', false],
    ] as const)
      await shop.admin.post(`${management}/orders/${invoiceId}/notes`, { text, isVisibleToCustomer });
    await shopper.payWith(invoiceId);
    await shop.settle();
    const { lineItems, ...taken } = server.orders[0]?.body ?? {};
    expect(taken).to.deep.include({
      internalNotes: 'Wrap it twice.\nLeave by the back door.',
      shippingServiceCode: 'Parcel',
      extendedData: { channel: 'Online Store' },
    });
    const [line, addon] = (await own.orderOf(invoiceId)).lineItems;
    expect(lineItems).to.deep.equal([
      {
        ...{ lineItemId: line.id, sku: line.sku, name: line.name, quantity: 2, unitPrice: 5 },
        extendedData: { Size: 'large' },
      },
      {
        ...{ lineItemId: addon.id, sku: 'cup-LARGE-GOLD', name: addon.name, quantity: 2, unitPrice: 2 },
        extendedData: { parentLineItemId: line.id },
      },
    ]);
  });

  it('say in every read what has come of it', async () => {
    const { server } = own;
    server.fail('off', 'refuses');
    const failed = await own.orderOf(await own.buy());
    expect(failed).to.include({
      fulfilmentProviderReference: null,
      fulfilmentSubmittedAt: null,
      fulfilmentRetryCount: 1,
    });
    expect(failed.fulfilmentErrorMessage).to.be.a('string');
    const invoiceId = await own.buy();
    expect(await own.orderOf(invoiceId)).to.include({ fulfilmentRetryCount: 5 });
    const taken = await own.orderOf(await own.buy());
    expect(taken).to.include({
      fulfilmentProviderReference: 'HOUSE-1',
      fulfilmentErrorMessage: null,
      fulfilmentRetryCount: 0,
    });
    expect(new Date(taken.fulfilmentSubmittedAt).toISOString()).to.equal(taken.fulfilmentSubmittedAt);
  });

  it('are told to staff who change their goods: their provider hears of no edit', async () => {
    const invoiceId = await own.buy(2);
    const [line] = (await own.orderOf(invoiceId)).lineItems;
    const preview = async (change: object) => {
      const body = { lineItems: [{ id: line.id, ...change }] };
      return (await own.shop.admin.post(`${management}/orders/${invoiceId}/preview-edit`, body)).body
        .warnings;
    };
    expect(await preview({ quantity: 1 })).to.deep.equal([
      'The provider that sends these goods has the order (HOUSE-1): tell it what has changed.',
    ]);
    expect(await preview({ quantity: 2 })).to.deep.equal([]);
  });

  for (const fault of ['off', 'nonsense', 'hangs', 'losesAnswer'] satisfies FulfilmentFault[])
    it(`are tried again where the provider ${fault === 'off' ? 'is off' : fault}, under one key, and are there once`, async () => {
      own.server.fail(fault);
      const invoiceId = await own.buy();
      expect((await own.orderOf(invoiceId)).status).to.equal('Processing');
      const [failed] = await dataOf('FulfilmentAttemptFailed');
      expect(failed).to.include({ retryCount: 1, isFinal: false });
      expect(await own.wait(4)).to.deep.equal({ tried: 0 });
      await own.wait(1);
      expect(own.server.orders).to.have.length(1);
      expect(await dataOf('FulfilmentSubmitted')).to.have.length(1);
      const keys = own.server.requests.map(({ headers }) => headers['idempotency-key']);
      expect(new Set(keys).size).to.equal(1);
      expect((await own.orderOf(invoiceId)).status).to.equal('Processing');
    });

  it('are given up after five tries, at growing intervals, and integrators hear of it once', async () => {
    own.server.fail('off', 'off', 'off', 'off', 'off');
    const invoiceId = await own.buy();
    for (const minutes of [5, 15, 30, 60]) {
      expect(await own.wait(minutes - 1)).to.deep.equal({ tried: 0 });
      await own.wait(1);
    }
    const failures = await dataOf('FulfilmentAttemptFailed');
    expect(failures.map(({ retryCount, isFinal }) => [retryCount, isFinal])).to.deep.equal([
      [1, false],
      [2, false],
      [3, false],
      [4, false],
      [5, true],
    ]);
    expect(failures.at(-1)).to.include({ nextAt: null });
    expect((await own.orderOf(invoiceId)).status).to.equal('FulfilmentFailed');
    expect(await own.wait(10_000)).to.deep.equal({ tried: 0 });
    expect(own.server.orders).to.have.length(0);
  });

  it('are given up at once where the provider refuses them', async () => {
    own.server.fail('refuses');
    const invoiceId = await own.buy();
    expect((await own.orderOf(invoiceId)).status).to.equal('FulfilmentFailed');
    expect((await dataOf('FulfilmentAttemptFailed'))[0]).to.include({
      retryCount: 5,
      isFinal: true,
      message: 'it answered 422: {"message":"The address is not served."}',
    });
  });

  it('wait for a provider that is switched off between two tries', async () => {
    own.server.fail('off');
    const invoiceId = await own.buy();
    await toggle(false);
    await own.wait(5);
    const failures = await dataOf('FulfilmentAttemptFailed');
    expect(failures.at(-1)).to.include({ retryCount: 2, message: 'the fulfilment provider is switched off' });
    expect(own.server.requests).to.have.length(1);
    await toggle(true);
    await own.wait(15);
    expect(own.server.orders).to.have.length(1);
    expect((await own.orderOf(invoiceId)).status).to.equal('Processing');
  });

  it('are tried in vain where their provider is gone between two tries, and go to another once staff say so', async () => {
    own.server.fail('off');
    const invoiceId = await own.buy();
    const { id } = await own.orderOf(invoiceId);
    const sendBy = (fulfilmentProviderConfigurationId: string | null) =>
      own.shop.admin.put(`${management}/warehouses/${own.warehouseId}`, {
        fulfilmentProviderConfigurationId,
      });
    await sendBy(null);
    const gone = `${management}/fulfilment-providers/${own.configurationId}`;
    expect((await own.shop.admin.delete(gone)).status).to.equal(204);
    for (const minutes of [5, 15, 30, 60]) await own.wait(minutes);
    expect((await dataOf('FulfilmentAttemptFailed')).at(-1)).to.include({
      ...{ retryCount: 5, isFinal: true, message: 'the fulfilment provider is not set up any more' },
    });
    expect((await own.orderOf(invoiceId)).status).to.equal('FulfilmentFailed');
    expect(own.server.requests).to.have.length(1);
    const nobody = await own.shop.admin.post(`${management}/orders/${id}/fulfillment/submit`);
    expect([nobody.status, nobody.body.message]).to.deep.equal([
      ...[400, 'The warehouse of the order has no fulfilment provider.'],
    ]);
    const { configurationId } = await sendThrough(own.shop, own.server);
    await own.shop.settle();
    await own.shop.admin.put(`${management}/orders/${id}/status`, { status: 'ReadyToFulfill' });
    await own.shop.settle();
    expect(own.server.orders).to.have.length(1);
    expect((await dataOf('FulfilmentSubmitted'))[0]).to.include({ orderId: id, configurationId });
  });

  it('are there once for the shop where a provider that lost its answer has them twice', async () => {
    own.server.fail('losesAnswer', 'otherReference');
    const invoiceId = await own.buy();
    await own.wait(5);
    expect(own.server.orders.map(({ key }) => key)).to.have.length(2);
    expect(new Set(own.server.orders.map(({ key }) => key)).size).to.equal(1);
    expect((await dataOf('FulfilmentSubmitted')).map(({ reference }) => reference)).to.deep.equal([
      'HOUSE-2',
    ]);
    await own.wait(60);
    expect(own.server.requests.filter(({ path }) => path === '/orders')).to.have.length(2);
    // Of the one that nobody has told it the shop knows nothing.
    const shipped = (reference: string) => {
      const now = own.shop.shop.runtime.clock.now();
      return own.shop.tester.ask(fulfilmentCallback('generic-http', 'order.shipped', { reference }, now));
    };
    expect((await shipped('HOUSE-1')).status).to.equal(200);
    await own.shop.settle();
    expect((await own.orderOf(invoiceId)).status).to.equal('Processing');
    expect((await shipped('HOUSE-2')).status).to.equal(200);
    await own.shop.settle();
    expect((await own.orderOf(invoiceId)).status).to.equal('Shipped');
  });

  it('stay where they are while the shop has no provider for their warehouse', async () => {
    const path = `${management}/warehouses/${own.warehouseId}`;
    await own.shop.admin.put(path, { fulfilmentProviderConfigurationId: null });
    await own.shop.settle();
    const invoiceId = await own.buy();
    const { id, status } = await own.orderOf(invoiceId);
    expect(status).to.equal('ReadyToFulfill');
    const submitted = `${management}/orders/${id}/fulfillment/submit`;
    const refused = await own.shop.admin.post(submitted);
    expect([refused.status, refused.body.message]).to.deep.equal([
      ...[400, 'The warehouse of the order has no fulfilment provider.'],
    ]);
    expect(await told('FulfilmentSubmissionAttempted')).to.have.length(0);
    await own.shop.admin.put(path, { fulfilmentProviderConfigurationId: own.configurationId });
    await own.wait(60);
    expect(own.server.orders).to.have.length(0);
    expect((await own.shop.admin.post(submitted)).body).to.deep.equal({
      ...{ orderId: id, submitted: true, message: 'The order is with its provider.' },
      fulfilmentProviderReference: 'HOUSE-1',
    });
    expect((await own.shop.admin.post(submitted)).body).to.deep.include({
      ...{ submitted: false, message: 'The order was with its provider already.' },
      fulfilmentProviderReference: 'HOUSE-1',
    });
    expect(own.server.orders).to.have.length(1);
  });

  it('are asked for at once where staff do not wait for the next try, and refused where they cannot go', async () => {
    own.server.fail('off', 'off');
    const { id } = await own.orderOf(await own.buy());
    const submit = () => own.shop.admin.post(`${management}/orders/${id}/fulfillment/submit`);
    const move = (status: string) =>
      own.shop.admin.put(`${management}/orders/${id}/status`, { status, reason: 'By phone' });
    const { body: again } = await submit();
    expect(again).to.deep.include({ submitted: false, fulfilmentProviderReference: null });
    expect(again.message).to.match(/^The provider has not taken the order yet: the connection failed/);
    expect((await dataOf('FulfilmentAttemptFailed')).at(-1)).to.include({ retryCount: 2 });
    await move('OnHold');
    const held = await submit();
    expect([held.status, held.body.message]).to.deep.equal([400, 'The order is on hold.']);
    await move('ReadyToFulfill');
    await own.shop.settle();
    expect(own.server.orders).to.have.length(1);
    expect((await submit()).body).to.include({ submitted: false });
  });

  it('are cancelled at their provider, too', async () => {
    const invoiceId = await own.buy();
    await own.shop.admin.post(`${management}/orders/${invoiceId}/cancel`, { reason: 'changed my mind' });
    await own.wait(1);
    expect(own.server.orders[0]?.status).to.equal('cancelled');
    expect(await dataOf('FulfilmentCancellationEnded')).to.have.length(1);
    expect((await dataOf('FulfilmentCancellationEnded'))[0]).to.include({ isCancelled: true });
    await own.wait(60);
    expect(own.server.requests.filter(({ path }) => path.endsWith('/cancel'))).to.have.length(1);
  });

  it('are not sent once they are cancelled between two tries', async () => {
    own.server.fail('off');
    const invoiceId = await own.buy();
    await own.shop.admin.post(`${management}/orders/${invoiceId}/cancel`, { reason: 'changed my mind' });
    await own.shop.settle();
    expect(await own.wait(60)).to.deep.equal({ tried: 0 });
    expect(own.server.orders).to.have.length(0);
    const { notes } = await own.invoice(invoiceId);
    expect(notes.map(({ text }: { text: string }) => text)).to.include(
      'generic-http was asked to send a cancelled order and may have taken it: see that it does not.',
    );
  });

  it('wait while a hook of the owner objects, with nothing written and nobody asked, and go once it does not', async () => {
    await own.close();
    const file = new URL('../../support/owners-hooks.ts', import.meta.url).pathname;
    own = await openFulfillingShop({ environment: { HOOKS_FILE: file } });
    says.set('FulfilmentSubmittingNotification', 'Not before the stocktaking.');
    heard.length = 0;
    try {
      const invoiceId = await own.buy();
      const { id } = await own.orderOf(invoiceId);
      expect((await own.orderOf(invoiceId)).status).to.equal('ReadyToFulfill');
      const asked = heard.find(({ notification }) => notification === 'FulfilmentSubmittingNotification');
      expect(asked).to.deep.include({ invoiceId, orderId: id, source: 'PaymentCreated' });
      const head = (await eventsIn(own.shop)).length;
      await own.wait(1);
      expect((await eventsIn(own.shop)).length).to.equal(head);
      says.clear();
      expect(await own.wait(1)).to.deep.equal({ tried: 0 });
      await own.wait(1);
    } finally {
      says.clear();
    }
    expect(own.server.requests).to.have.length(1);
    expect(await dataOf('FulfilmentSubmitted')).to.have.length(1);
  });
});

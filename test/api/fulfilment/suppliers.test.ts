import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { openFulfillingShop, type FulfillingShop } from '#test/support/fulfilling-shop.ts';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { noNewEvents, refusedFor } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';

describe('orders that go straight to the supplier (docs/rules/fulfilment.md#release)', () => {
  let own: FulfillingShop;
  const { when, make } = managing(() => own.shop);
  const count = async (type: string): Promise<number> =>
    (await eventsIn(own.shop)).filter((event) => event.type === type).length;
  const supplied = async (fulfilmentTrigger: string): Promise<void> => {
    const supplier = await make('/suppliers', {
      name: 'Potter',
      contactEmail: 'potter@example.com',
      fulfilmentTrigger,
    });
    await when(manage.put(`/warehouses/${own.warehouseId}`, { supplierId: supplier.id })).then(200);
    await own.shop.settle();
  };
  beforeEach(async () => {
    own = await openFulfillingShop({}, { email: 'orders@example.com' }, 'supplier-direct');
  });
  afterEach(() => own.close());

  it('are packed as soon as the supplier has them, once', async () => {
    const invoiceId = await own.buy(2);
    const order = await own.orderOf(invoiceId);
    expect(order.status).to.equal('Processing');
    expect(await count('ShipmentCreated')).to.equal(1);
    expect(await count('FulfilmentSubmitted')).to.equal(1);
    const summary = await when(manage.get(`/orders/${invoiceId}/fulfillment-summary`)).then(200);
    expect(JSON.stringify(summary.body)).to.include('Preparing');
  });

  it('wait for staff where the supplier wants it so, and go once', async () => {
    await supplied('ExplicitRelease');
    const invoiceId = await own.buy();
    const order = await own.orderOf(invoiceId);
    expect(order.status).to.equal('ReadyToFulfill');
    const path = `/orders/${order.id}/fulfillment/release`;
    const released = await when(manage.post(path)).then(200, {
      orderId: order.id,
      released: true,
      alreadyReleased: false,
      message: 'The order is with its supplier.',
    });
    const reference = released.body.fulfilmentProviderReference as string;
    expect(reference).to.be.a('string');
    await when(manage.post(path))
      .then(200, { released: false, alreadyReleased: true, fulfilmentProviderReference: reference })
      .and(noNewEvents());
  });

  it('are not released where they do not wait for it, or must not go', async () => {
    const invoiceId = await own.buy();
    const { id } = await own.orderOf(invoiceId);
    await when(manage.post(`/orders/${id}/fulfillment/release`))
      .then(400, { message: 'The order does not wait for a release to its supplier.' })
      .and(refusedFor('invalid-request'))
      .and(noNewEvents());
    await supplied('ExplicitRelease');
    const held = await own.orderOf(await own.buy());
    await when(manage.put(`/orders/${held.id}/status`, { status: 'OnHold' })).then(200);
    await when(manage.post(`/orders/${held.id}/fulfillment/release`))
      .then(400, { message: 'The order is on hold.' })
      .and(noNewEvents());
    const gone = await own.buy();
    const given = await own.orderOf(gone);
    await when(manage.post(`/orders/${gone}/cancel`, { reason: 'By phone' })).then(200);
    await when(manage.post(`/orders/${given.id}/fulfillment/release`))
      .then(400, { message: 'The order is cancelled.' })
      .and(noNewEvents());
    await when(manage.post(`/orders/${newId()}/fulfillment/release`))
      .then(404)
      .and(refusedFor('entity-not-found'))
      .and(noNewEvents());
  });
});

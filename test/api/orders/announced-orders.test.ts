import { expect } from 'chai';
import { announcedBy } from '#test/support/announced.ts';
import type { Request } from '#test/support/browser.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

/** docs/webhook-topics.md#orders */
describe('what integrators hear of orders', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('MUG', { price: 10, stock: 20 });
  });
  after(() => shop.close());

  /** Topics of invoices and orders, with statuses. */
  const toldBy = async (request: () => PromiseLike<unknown>): Promise<readonly string[]> =>
    (await announcedBy(shop, request))
      .filter(({ topic }) => /^(?:order|invoice)\./.test(topic))
      .map(({ topic, data }) =>
        topic === 'order.status_changed'
          ? `${topic} ${String(data['previousStatus'])} to ${String(data['newStatus'])}`
          : topic,
      );
  const asStaff = (request: Request, status = 200) =>
    toldBy(async () => {
      const answer = await shop.admin.ask(request);
      expect(answer.status, answer.text).to.equal(status);
    });

  const ordered = async (quantity: number) => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, quantity, 'ada@example.com');
    const { invoiceId } = (await shopper.pay()).body;
    return { shopper, invoiceId: invoiceId as string };
  };
  const sold = async (quantity = 3) => {
    const { shopper, invoiceId } = await ordered(quantity);
    await shopper.payWith(invoiceId);
    const [order] = (await shop.shown(`/orders/${invoiceId}`)).orders;
    return { invoiceId, orderId: order.id as string, lineId: order.lineItems[0].id as string };
  };
  const released = ['order.status_changed Pending to ReadyToFulfill'];
  const announced = ['invoice.created', 'order.created', 'order.updated'];

  it('of a sale once, when it is paid; not of an order that is placed again before', async () => {
    const { shopper, invoiceId } = await ordered(1);
    const replaced = await toldBy(async () => {
      await shopper.update((await shopper.basket()).body.lineItems[0].id as string, 2);
      await shopper.initialize();
      expect((await shopper.pay()).status).to.equal(200);
    });
    expect(replaced).to.deep.equal([]);
    expect((await shop.shown(`/orders/${invoiceId}`)).orders[0].status).to.equal('Cancelled');
    const paid = await toldBy(async () => {
      const again = await ordered(1);
      await again.shopper.payWith(again.invoiceId);
      // A second time pays nothing.
      await again.shopper.payWith(again.invoiceId);
    });
    expect(paid).to.deep.equal(['invoice.paid', ...released, ...announced]);
  });

  it('of an order that costs nothing that it is paid, too', async () => {
    const [house] = (await shop.shown('/warehouses')).items;
    const option = { name: 'Gift', warehouseId: house.id as string, fixedCost: 0 };
    expect((await shop.admin.ask(manage.post('/shipping-options', option))).status).to.equal(201);
    const gift = await shop.sell('GIFT', { price: 0 });
    const told = await toldBy(async () => {
      const shopper = shop.shopper();
      await shopper.prepare(gift, 1, 'bob@example.com');
      await shopper.pay();
    });
    expect(told).to.deep.equal(['invoice.paid', ...released, ...announced]);
  });

  it('of every status, and of dates, addresses and edits', async () => {
    const { invoiceId, orderId, lineId } = await sold();
    const move = (status: string) => asStaff(manage.put(`/orders/${orderId}/status`, { status }));
    expect(await move('OnHold')).to.deep.equal(['order.status_changed ReadyToFulfill to OnHold']);
    expect(await move('ReadyToFulfill')).to.deep.equal(['order.status_changed OnHold to ReadyToFulfill']);
    const addressed = asStaff(manage.put(`/orders/${invoiceId}/shipping-address`, { name: 'Joan' }));
    expect(await addressed).to.deep.equal(['order.updated']);
    const edit = { version: 0, lineItems: [{ id: lineId, quantity: 2 }] };
    expect(await asStaff(manage.put(`/orders/${invoiceId}/edit`, edit))).to.deep.equal(['order.updated']);
    const path = `/orders/${orderId}/shipments`;
    const packed = (quantity: number) =>
      asStaff(manage.post(path, { lineItems: { [lineId]: quantity } }), 201);
    expect(await packed(1)).to.deep.equal([
      'order.updated',
      'order.status_changed ReadyToFulfill to Processing',
    ]);
    const { shipments } = (await shop.shown(`/orders/${invoiceId}/fulfillment-summary`)).orders[0];
    const sent = asStaff(manage.put(`/shipments/${shipments[0].id}/status`, { newStatus: 'Shipped' }));
    expect(await sent).to.deep.equal(['order.status_changed Processing to PartiallyShipped']);
  });

  it('of a cancellation and a deletion', async () => {
    const first = await sold();
    const cancelled = asStaff(manage.post(`/orders/${first.invoiceId}/cancel`, { reason: 'No more mugs' }));
    expect(await cancelled).to.deep.equal([
      'order.cancelled',
      'order.updated',
      'order.status_changed ReadyToFulfill to Cancelled',
    ]);
    const second = await sold();
    const deleted = asStaff(manage.post('/orders/delete', { ids: [second.invoiceId] }));
    expect(await deleted).to.deep.equal(['invoice.deleted']);
  });
});

import { expect } from 'chai';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';

describe('Editing an invoice that nobody has paid', () => {
  let shop: TestShop;
  let mug: string;
  let tea: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    tea = await shop.sell('tea', { price: 4, stock: 100 });
    await shop.discount('ONCE', 10, 1);
  });
  after(() => shop.close());

  const order = async (): Promise<{ shopper: Shopper; invoiceId: string }> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2);
    return { shopper, invoiceId: (await shopper.pay()).body.invoiceId };
  };
  const edit = async (id: string, body: object) => {
    const answer = await shop.admin.put(`${management}/orders/${id}/edit`, body);
    expect([answer.status, answer.body.message]).to.deep.equal([200, undefined]);
    return answer.body.invoice;
  };
  const firstLine = async (id: string): Promise<string> =>
    (await shop.admin.get(`${management}/orders/${id}/edit`)).body.orders[0].lineItems[0].id;
  const reservedOf = async (productId: string): Promise<number> => {
    await shop.settle();
    const moves = (await eventsIn(shop)).filter(
      ({ stream, data }) =>
        stream.startsWith('stock-') && (data as { productId: string }).productId === productId,
    );
    return (moves.at(-1)?.data as { reserved?: number }).reserved ?? 0;
  };
  /** One mug fewer, two teas more, and a code that can be used once. */
  const change = async (id: string) =>
    edit(id, {
      lineItems: [{ id: await firstLine(id), quantity: 1 }],
      productsToAdd: [{ productId: tea, quantity: 2 }],
      orderDiscountCodes: ['ONCE'],
    });
  const statusOf = async (id: string) => {
    await shop.settle();
    return (await shop.admin.get(`${management}/orders/${id}`)).body.isCancelled as boolean;
  };

  it('charges whoever pays that very invoice what it says now', async () => {
    const { shopper, invoiceId } = await order();
    const { total } = await edit(invoiceId, { orderDiscounts: [{ type: 'FixedAmount', value: 5 }] });
    expect(total).to.equal(23);
    await shopper.payWith(invoiceId);
    expect((await shop.charges()).find((charge) => charge.invoiceId === invoiceId)?.amount).to.equal(23);
  });

  it('is not what the basket shows any more: paying for that again makes a new one, and gives back', async () => {
    const [mugs, teas] = [await reservedOf(mug), await reservedOf(tea)];
    const { shopper, invoiceId } = await order();
    await change(invoiceId);
    expect([await reservedOf(mug), await reservedOf(tea)]).to.deep.equal([mugs + 1, teas + 2]);
    const again = (await shopper.pay()).body;
    expect(again.invoiceId).not.to.equal(invoiceId);
    expect([await reservedOf(mug), await reservedOf(tea)]).to.deep.equal([mugs + 2, teas]);
    expect([await statusOf(invoiceId), await statusOf(again.invoiceId)]).to.deep.equal([true, false]);
    expect((await shopper.payWith(again.invoiceId)).body.status).to.equal('Completed');
    expect((await shop.charges()).find((charge) => charge.invoiceId === again.invoiceId)?.amount).to.equal(
      29,
    );
    const other = await order();
    expect((await edit(other.invoiceId, { orderDiscountCodes: ['ONCE'] })).version).to.equal(1);
    await edit(other.invoiceId, { removedOrderDiscounts: [await codeOn(other.invoiceId)] });
  });

  const codeOn = async (id: string): Promise<string> =>
    (await shop.admin.get(`${management}/orders/${id}/edit`)).body.orderDiscounts[0].id;

  it('is paid as it is where an edit has been taken back', async () => {
    const { shopper, invoiceId } = await order();
    const id = await firstLine(invoiceId);
    await edit(invoiceId, { lineItems: [{ id, quantity: 3 }] });
    await edit(invoiceId, { lineItems: [{ id, quantity: 2 }] });
    expect((await shopper.pay()).body.invoiceId).to.equal(invoiceId);
  });

  it('is paid as it is where something of it has been paid: never twice', async () => {
    const { shopper, invoiceId } = await order();
    await edit(invoiceId, { lineItems: [{ id: await firstLine(invoiceId), quantity: 3 }] });
    const payment = { amount: 10, paymentMethod: 'Cash' };
    await shop.admin.post(`${management}/invoices/${invoiceId}/payments/manual`, payment);
    expect((await shopper.pay()).body.invoiceId).to.equal(invoiceId);
    await shopper.payWith(invoiceId);
    expect((await shop.charges()).find((charge) => charge.invoiceId === invoiceId)?.amount).to.equal(31);
  });

  it('is sold at once where an edit leaves nothing to be paid', async () => {
    const { shopper, invoiceId } = await order();
    const [{ id: orderId }] = (await shop.admin.get(`${management}/orders/${invoiceId}/edit`)).body.orders;
    await edit(invoiceId, {
      orderDiscounts: [{ type: 'Free' }],
      orderShippingUpdates: [{ orderId, shippingCost: 0 }],
    });
    await shop.settle();
    const sold = (await shop.admin.get(`${management}/orders/${invoiceId}`)).body;
    expect([sold.total, sold.paymentStatus, sold.orders[0].status]).to.deep.equal([
      ...[0, 'Paid', 'ReadyToFulfill'],
    ]);
    expect((await shopper.basket()).body.lineItems).to.deep.equal([]);
    const events = (await eventsIn(shop)).filter(({ stream }) => stream === `invoice-${invoiceId}`);
    expect(events.filter(({ type }) => type === 'SaleConfirmed')).to.have.length(1);
    expect((await shop.charges()).some((charge) => charge.invoiceId === invoiceId)).to.equal(false);
  });

  it('gives back all that it holds, what edits took too, once it expires', async () => {
    const [mugs, teas] = [await reservedOf(mug), await reservedOf(tea)];
    const { invoiceId } = await order();
    await change(invoiceId);
    await shop.settle();
    await shop.tester.post('/testing/clock', { advanceSeconds: 2 * 3600 });
    await shop.tester.post('/testing/jobs/release-reservations');
    expect(await statusOf(invoiceId)).to.equal(true);
    const held = [await reservedOf(mug), await reservedOf(tea)];
    expect(held[0]).to.be.at.most(mugs);
    expect(held[1]).to.equal(teas);
    const other = await order();
    expect((await edit(other.invoiceId, { orderDiscountCodes: ['ONCE'] })).discountTotal).to.equal(2);
  });
});

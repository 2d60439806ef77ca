import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';

describe('Cancelling and deleting orders', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  after(() => shop.close());

  const order = async (
    email?: string,
  ): Promise<{ readonly invoiceId: string; readonly shopper: Shopper }> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 1, email);
    return { invoiceId: (await shopper.pay()).body.invoiceId, shopper };
  };
  const buy = async (email?: string) => {
    const placed = await order(email);
    const { paymentId } = (await placed.shopper.payWith(placed.invoiceId)).body;
    return { ...placed, paymentId };
  };
  const cancel = (invoiceId: string, reason: unknown = 'Changed her mind') =>
    shop.admin.post(`${management}/orders/${invoiceId}/cancel`, { reason });
  const remove = (...ids: string[]) => shop.admin.post(`${management}/orders/delete`, { ids });
  const reserved = async (): Promise<number> => {
    const moves = (await eventsIn(shop)).filter(
      ({ type }) => type === 'StockReserved' || type === 'StockReleased',
    );
    return (moves.at(-1)?.data as { reserved: number } | undefined)?.reserved ?? 0;
  };
  const report = (query = '') =>
    shop.shown(`/reporting/breakdown?startDate=2020-01-01&endDate=2029-12-31&compareMode=None${query}`);

  it('gives the goods back, keeps the money as credit, and takes the sale out of its day', async () => {
    const before = await report();
    const held = await reserved();
    const { invoiceId, paymentId } = await buy();
    expect((await report()).grossSales).to.equal(before.grossSales + 10);
    expect(await reserved()).to.equal(held + 1);
    const cancelled = await cancel(invoiceId);
    expect([cancelled.status, cancelled.body]).to.deep.equal([
      200,
      { success: true, cancelledOrderCount: 1, errorMessage: null },
    ]);
    expect(await reserved()).to.equal(held);
    const shownOrder = await shop.shown(`/orders/${invoiceId}`);
    expect(shownOrder).to.include({
      isCancelled: true,
      cancellationReason: 'Changed her mind',
      paymentStatus: 'Paid',
      creditDue: 17,
      balanceDue: 0,
    });
    expect(shownOrder.orders[0]).to.include({
      status: 'Cancelled',
      cancellationReason: 'Invoice cancelled: Changed her mind',
    });
    expect(shownOrder.orders[0].cancelledDate).to.be.a('string');
    expect((await report()).grossSales).to.equal(before.grossSales);
    expect((await report('&includeCancelled=true')).grossSales).to.be.at.least(before.grossSales + 10);
    const refund = await shop.admin.post(`${management}/payments/${paymentId}/refund`, {
      reason: 'Cancelled',
    });
    expect(refund.body).to.include({ amount: -17, paymentSuccess: true });
    expect((await report()).returns).to.equal(before.returns);
    expect(await shop.shown(`/invoices/${invoiceId}/payment-status`)).to.include({ creditDue: 0 });
  });

  it('counts what is given back as returns on the day of the invoice, until it is cancelled', async () => {
    const before = await report();
    const { invoiceId, paymentId } = await buy();
    await shop.admin.post(`${management}/payments/${paymentId}/refund`, { amount: 4, reason: 'Chipped' });
    const after = await report();
    expect([after.returns - before.returns, after.netSales - before.netSales]).to.deep.equal([4, 6]);
    await cancel(invoiceId);
    const gone = await report();
    expect([gone.returns, gone.netSales]).to.deep.equal([before.returns, before.netSales]);
    expect(await shop.shown(`/invoices/${invoiceId}/payment-status`)).to.include({ creditDue: 13 });
  });

  it('of an unpaid order frees the basket, which can be ordered again', async () => {
    const held = await reserved();
    const { invoiceId, shopper } = await order();
    expect((await cancel(invoiceId)).body).to.include({ cancelledOrderCount: 1 });
    expect(await reserved()).to.equal(held);
    const refused = await shopper.payWith(invoiceId);
    expect([refused.status, refused.body.message]).to.deep.equal([400, 'This order has been cancelled.']);
    const again = await shopper.pay();
    expect(again.status).to.equal(200);
    expect((await shopper.payWith(again.body.invoiceId)).body.status).to.equal('Completed');
  });

  it('tells once that an invoice is cancelled already', async () => {
    const { invoiceId } = await buy();
    await cancel(invoiceId);
    expect((await cancel(invoiceId)).body).to.deep.equal({
      success: true,
      cancelledOrderCount: 0,
      errorMessage: 'The invoice is cancelled already.',
    });
  });

  it('is refused without a reason, and of what nobody knows', async () => {
    const { invoiceId } = await buy();
    expect((await cancel(invoiceId, ' ')).status).to.equal(400);
    expect((await cancel(invoiceId, null)).status).to.equal(400);
    expect((await cancel(newId())).status).to.equal(404);
    expect((await remove()).status).to.equal(400);
    expect((await remove('no id')).status).to.equal(400);
    expect((await remove(newId())).body).to.deep.include({ deletedCount: 0 });
  });

  it('deletes from lists and reports, and gives the goods back', async () => {
    const before = await report('&includeCancelled=true');
    const held = await reserved();
    const [sold, cancelled] = [await buy(), await buy()];
    await cancel(cancelled.invoiceId);
    const deleted = await remove(sold.invoiceId, cancelled.invoiceId, sold.invoiceId);
    expect([deleted.status, deleted.body]).to.deep.equal([200, { deletedCount: 2, errors: [] }]);
    expect(await reserved()).to.equal(held);
    expect((await report('&includeCancelled=true')).grossSales).to.equal(before.grossSales);
    await shop.settle();
    for (const path of [
      `/orders/${sold.invoiceId}`,
      `/invoices/${sold.invoiceId}/payments`,
      `/invoices/${sold.invoiceId}/payment-status`,
      `/payments/${sold.paymentId}`,
    ])
      expect((await shop.admin.get(`${management}${path}`)).status).to.equal(404);
    expect((await remove(sold.invoiceId)).body).to.include({ deletedCount: 0 });
    const gone = await cancel(sold.invoiceId);
    expect([gone.status, gone.body.message]).to.deep.equal([400, 'This invoice is deleted.']);
    const refund = await shop.admin.post(`${management}/payments/${sold.paymentId}/refund`, { reason: 'x' });
    expect(refund.status).to.equal(404);
  });

  it('takes a sale from what the customer has bought', async () => {
    const email = 'grace@example.com';
    await buy(email);
    const { invoiceId } = await buy(email);
    const customer = async () => (await shop.shown(`/customers?search=${email}`)).items[0];
    // 10.00, 5.00 to send it, 20 % on the goods.
    const one = { averageOrderValue: 17, countryCode: 'GB' };
    expect(await customer()).to.include({ ...one, orderCount: 2, totalSpend: 34 });
    await cancel(invoiceId);
    const left = await customer();
    expect(left).to.include({ ...one, orderCount: 1, totalSpend: 17 });
    expect(left.firstOrderDate).to.equal(left.lastOrderDate);
  });
});

import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import { TestShop } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';

describe('Refunds', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  after(() => shop.close());

  /** An order of 17.00 that is paid by card. */
  const buy = async (
    token?: string,
  ): Promise<{
    readonly invoiceId: string;
    readonly paymentId: string;
    readonly transactionId: string;
  }> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    const { invoiceId } = (await shopper.pay()).body;
    const { paymentId, transactionId } = (await shopper.payWith(invoiceId, token)).body;
    await shop.settle();
    return { invoiceId, paymentId, transactionId };
  };
  const refund = (paymentId: string, body: object, headers?: Record<string, string>) =>
    shop.admin.post(`${management}/payments/${paymentId}/refund`, { reason: 'Damaged', ...body }, headers);
  const refundsMade = async (invoiceId: string): Promise<number[]> => {
    const { body } = await shop.tester.get('/testing/sandbox-refunds');
    return (body as { invoiceId: string; amount: number }[])
      .filter((made) => made.invoiceId === invoiceId)
      .map(({ amount }) => amount);
  };

  it('go back through the provider, in part or whole, and stand on the invoice', async () => {
    const { invoiceId, paymentId } = await buy();
    const part = await refund(paymentId, { amount: 5 });
    expect(part.status).to.equal(200);
    expect(part.body).to.deep.include({
      parentPaymentId: paymentId,
      paymentType: 'PartialRefund',
      amount: -5,
      paymentSuccess: true,
      status: 'Completed',
    });
    expect((await refund(paymentId, { amount: null })).body).to.include({ amount: -12 });
    expect(await refundsMade(invoiceId)).to.deep.equal([5, 12]);
    expect(await shop.shown(`/invoices/${invoiceId}/payment-status`)).to.include({
      paymentStatus: 'Refunded',
      amountPaid: 17,
      amountRefunded: 17,
      balanceDue: 0,
      creditDue: 0,
      givenBack: 17,
      balanceStatus: 'Balanced',
    });
    const { items } = await shop.shown(`/invoices/${invoiceId}/payments`);
    expect(items.map((row: { amount: number }) => row.amount)).to.deep.equal([17, -5, -12]);
    expect(items[0]).to.include({
      paymentType: 'Payment',
      refundableAmount: 0,
      paymentProviderAlias: 'sandbox',
    });
    expect(await shop.shown(`/payments/${part.body.id}`)).to.include({ amount: -5, description: 'Damaged' });
    const { notes, orders } = await shop.shown(`/orders/${invoiceId}`);
    expect(notes.at(-1)).to.include({ isVisibleToCustomer: false });
    expect(notes.map((note: { text: string }) => note.text).join()).to.match(
      /5\.00 refunded \(sandbox\): Damaged/,
    );
    expect(orders[0].status).to.equal('ReadyToFulfill');
  });

  it('are pending while the provider still has to make them, and count once they are done, until they fail', async () => {
    const returns = async (): Promise<number> =>
      (await shop.shown('/reporting/breakdown?startDate=2020-01-01&endDate=2029-12-31&compareMode=None'))
        .returns;
    const { invoiceId, paymentId, transactionId } = await buy('tok_refund_pending');
    const before = await returns();
    const asked = (await refund(paymentId, { amount: 5 })).body;
    expect(asked).to.deep.include({ amount: -5, paymentSuccess: false, status: 'Pending' });
    const row = async () => {
      const {
        paymentSuccess,
        transactionId: refundId,
        refundableAmount,
      } = await shop.shown(`/payments/${asked.id}`);
      return { paymentSuccess, refundId, refundableAmount };
    };
    expect(await row()).to.include({ paymentSuccess: false, refundId: asked.transactionId });
    const balance = async () => {
      const { paymentStatus, amountRefunded } = await shop.shown(`/invoices/${invoiceId}/payment-status`);
      return [paymentStatus, amountRefunded, (await returns()) - before, await refundsMade(invoiceId)];
    };
    expect(await balance()).to.deep.equal(['Paid', 0, 0, []]);
    const data = { transactionId, refundId: asked.transactionId, amount: 5, currency: 'GBP' };
    await sendEvent(shop.tester, { type: 'RefundCompleted', data });
    expect(await balance()).to.deep.equal(['PartiallyRefunded', 5, 5, [5]]);
    expect(await row()).to.include({ paymentSuccess: true });
    await sendEvent(shop.tester, { type: 'RefundFailed', data });
    expect(await balance()).to.deep.equal(['Paid', 0, 0, []]);
    expect(await row()).to.include({ paymentSuccess: false });
    const preview = await shop.admin.post(`${management}/payments/${paymentId}/preview-refund`, {});
    expect(preview.body).to.include({ refundableAmount: 17 });
  });

  it('whose callback is lost are looked up, and wait for staff where they have failed', async () => {
    const { invoiceId, paymentId } = await buy('tok_refund_fails');
    expect((await refund(paymentId, {})).body).to.include({ status: 'Pending' });
    const job = shop.shop.services.flatMap(({ jobs }) => jobs).find(({ name }) => name === 'look-up-refunds');
    await shop.settle();
    // Whatever the job has looked up by itself meanwhile.
    await job?.runOnce(Date.now() + 60_000);
    const { notes } = await shop.shown(`/orders/${invoiceId}`);
    expect(notes.at(-1).text).to.equal('£17.00 could not be refunded (sandbox): The refund has failed.');
    const { items } = (await shop.admin.get(`${management}/health-checks/money-owed-back/details`)).body;
    expect(items.at(-1).description).to.equal('£17.00 (sandbox): The refund has failed.');
  });

  it('are previewed without giving anything back', async () => {
    const { paymentId } = await buy();
    const preview = async (body: object) =>
      (await shop.admin.post(`${management}/payments/${paymentId}/preview-refund`, body)).body;
    expect(await preview({})).to.deep.equal({
      paymentId,
      refundableAmount: 17,
      requestedAmount: 17,
      currencyCode: 'GBP',
      supportsPartialRefund: true,
      supportsRefund: true,
      providerAlias: 'sandbox',
      formattedRefundableAmount: '£17.00',
      formattedRequestedAmount: '£17.00',
    });
    expect(await preview({ percentage: 25 })).to.include({ requestedAmount: 4.25 });
    expect(await preview({ amount: 3, percentage: 25 })).to.include({ requestedAmount: 3 });
    expect(await preview({ amount: -3 })).to.include({ success: false });
    expect(await shop.shown(`/payments/${paymentId}`)).to.include({ refundableAmount: 17 });
  });

  it('by hand ask no provider', async () => {
    const { invoiceId, paymentId } = await buy();
    const { body } = await refund(paymentId, { amount: 2, isManualRefund: true });
    expect(body).to.include({ amount: -2, paymentSuccess: true });
    expect(await refundsMade(invoiceId)).to.deep.equal([]);
  });

  it('are one for one key, and of two at once one is too much', async () => {
    const { invoiceId, paymentId } = await buy();
    const key = { 'Idempotency-Key': newId() };
    const [one, other] = [
      await refund(paymentId, { amount: 1 }, key),
      await refund(paymentId, { amount: 1 }, key),
    ];
    expect(other.body.id).to.equal(one.body.id);
    const both = await Promise.all([refund(paymentId, { amount: 10 }), refund(paymentId, { amount: 10 })]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    expect((await refundsMade(invoiceId)).sort()).to.deep.equal([1, 10]);
  });

  for (const [what, body, message] of [
    ['without a reason', { reason: ' ' }, /not valid/],
    ['of 0', { amount: 0 }, /above 0/],
    ['of less than nothing', { amount: -1 }, /above 0/],
    ['of more than was paid', { amount: 17.01 }, /At most £17\.00/],
    ['of parts of a penny', { amount: 1.001 }, /not valid/],
  ] as const) {
    it(`are 400 ${what}, and nothing is written`, async () => {
      const { invoiceId, paymentId } = await buy();
      const { status, body: answer } = await refund(paymentId, body);
      expect(status).to.equal(400);
      expect(answer.message).to.match(message);
      expect(await refundsMade(invoiceId)).to.deep.equal([]);
      expect((await shop.shown(`/invoices/${invoiceId}/payments`)).totalItems).to.equal(1);
    });
  }

  it('are 400 of a refund and of what a provider cannot give back, and 404 of what nobody knows', async () => {
    const { paymentId } = await buy();
    const { id } = (await refund(paymentId, { amount: 1 })).body;
    expect((await refund(id, {})).body.message).to.equal('A refund cannot be refunded.');
    expect((await refund(newId(), {})).status).to.equal(404);
    expect((await shop.admin.get(`${management}/payments/${newId()}`)).status).to.equal(404);
    expect((await shop.admin.get(`${management}/invoices/${newId()}/payments`)).status).to.equal(404);
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    const { invoiceId } = (await shopper.pay()).body;
    await shop.admin.post(`${management}/invoices/${invoiceId}/payments/manual`, {
      amount: 17,
      paymentMethod: 'Bank transfer',
    });
    const [byHand] = (await shop.shown(`/invoices/${invoiceId}/payments`)).items;
    const refused = await refund(byHand.id, {});
    expect([refused.status, refused.body.message]).to.deep.equal([
      400,
      'manual gives nothing back. Refund it by hand.',
    ]);
    expect((await refund(byHand.id, { isManualRefund: true })).status).to.equal(200);
  });

  it('show a declined card among the payments, and give nothing back of it', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    const { invoiceId } = (await shopper.pay()).body;
    await shopper.payWith(invoiceId, 'tok_decline');
    const { items } = await shop.shown(`/invoices/${invoiceId}/payments`);
    expect(items[0]).to.include({ paymentSuccess: false, status: 'Failed', amount: 17 });
    const refused = await shop.admin.post(`/backoffice/api/v1/payments/${items[0].id}/refund`, {
      reason: 'x',
    });
    expect(refused.status).to.equal(400);
    expect(refused.body.message).to.equal('Only a payment that succeeded can be refunded.');
  });
});

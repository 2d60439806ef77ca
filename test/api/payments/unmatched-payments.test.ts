import { expect } from 'chai';
import { manage, pay, post, readyToPay } from '#test/support/requests.ts';
import { refusedFor } from '#test/support/scene.ts';
import { type TestShop, type Shopper } from '#test/support/shop.ts';
import type { StripeDouble } from '#test/support/stripe/stripe-double.ts';
import { lastEvent, openStripeShop, tellShop } from '#test/support/stripe/stripe-shop.ts';

const MONTH_MINUTES = 31 * 24 * 60;

interface Row {
  readonly id: string;
  readonly transactionId: string;
  readonly [field: string]: unknown;
}

// docs/rules/unmatched-payments.md
describe('money that Stripe has taken without an order', () => {
  let double: StripeDouble;
  let shop: TestShop;
  let mug: string;
  before(async () => {
    ({ double, shop, mug } = await openStripeShop());
  });
  after(async () => {
    await shop.close();
    await double.goAway();
  });

  const toldOf = async (type: string): Promise<unknown> => {
    const answer = await tellShop(shop, lastEvent(double, type));
    expect(answer.status, type).to.equal(200);
    await shop.settle();
    return answer.body;
  };
  const pass = async (minutes: number): Promise<void> => {
    await shop.tester.post('/testing/clock', { advanceSeconds: minutes * 60 });
    await shop.tester.post('/testing/jobs/apply-parked-callbacks');
    await shop.settle();
  };
  /** A payment of the account that names nothing of the shop: it was asked for elsewhere. */
  const strayPayment = async (changes: Readonly<Record<string, string>> = {}): Promise<string> => {
    const fields = { amount: '1700', currency: 'gbp', confirm: 'true', return_url: shop.base };
    const answer = await fetch(`${double.url}/v1/payment_intents`, {
      method: 'POST',
      headers: { Authorization: 'Bearer sk_test_1' },
      body: new URLSearchParams({ ...fields, payment_method: 'pm_card_visa', ...changes }),
    });
    const { id } = (await answer.json()) as { id: string };
    await toldOf('payment_intent.succeeded');
    await toldOf('charge.succeeded');
    return id;
  };
  const listed = async (): Promise<readonly Row[]> =>
    ((await shop.shown('/payments/unmatched')) as { items: Row[] }).items;
  const rowOf = async (transactionId: string): Promise<Row | undefined> =>
    (await listed()).find((row) => row.transactionId === transactionId);
  const idOf = async (transactionId: string): Promise<string> =>
    (await rowOf(transactionId))?.id ?? expect.fail(`${transactionId} is not listed`);
  const refund = (id: string) => shop.admin.ask(manage.post(`/payments/unmatched/${id}/refund`));
  const match = (id: string, invoiceId: string) =>
    shop.admin.ask(manage.post(`/payments/unmatched/${id}/match`, { invoiceId }));
  const refundsAsked = () => double.asked.filter(({ path }) => path === '/v1/refunds').length;
  const ordered = async () => {
    const shopper = shop.shopper();
    const { body } = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(pay({ providerAlias: 'stripe' }))
      .then(200);
    return { shopper, invoiceId: String(body.invoiceId) };
  };
  const paidOf = async (invoiceId: string) => {
    await shop.settle();
    const { paymentStatus, amountPaid } = (await shop.shown(
      `/invoices/${invoiceId}/payment-status`,
    )) as Record<string, unknown>;
    return { paymentStatus, amountPaid };
  };

  it('is listed once, and named by the health check', async () => {
    const transactionId = await strayPayment();
    const { id, dateCreated, ...row } = (await rowOf(transactionId)) ?? expect.fail('not listed');
    expect(dateCreated).to.match(/^\d{4}-\d\d-\d\dT/);
    expect(row).to.deep.equal({
      ...{ transactionId, paymentProviderAlias: 'stripe', amount: 17, refundableAmount: 17 },
      ...{ currencyCode: 'GBP', namedInvoiceId: null, invoiceId: null, status: 'Open', problem: null },
    });
    const check = JSON.stringify(await shop.shown('/health-checks/payments-unmatched/details'));
    expect(check).to.include(id).and.include('17.00').and.include(transactionId);
    expect((await listed()).filter((one) => one.transactionId === transactionId)).to.have.length(1);
  });

  it('is recorded on the invoice that staff match it with, and makes the sale', async () => {
    const id = await idOf(await strayPayment());
    const { invoiceId } = await ordered();
    const { status, body } = await match(id, invoiceId);
    expect([status, body.status, body.invoiceId]).to.deep.equal([200, 'Matched', invoiceId]);
    expect(await paidOf(invoiceId)).to.deep.equal({ paymentStatus: 'Paid', amountPaid: 17 });
    expect((await listed()).map((row) => row.id)).to.not.include(id);
    expect((await match(id, invoiceId)).status, 'once more').to.equal(200);
    const other = await ordered();
    expect((await match(id, other.invoiceId)).body).to.include({ code: 'unmatched-payment-settled' });
    expect((await refund(id)).status).to.equal(409);
    expect(await paidOf(other.invoiceId)).to.deep.equal({ paymentStatus: 'Unpaid', amountPaid: 0 });
  });

  it('is given back once, however often staff ask', async () => {
    const id = await idOf(await strayPayment());
    const [before, askedBefore] = [double.taken(), refundsAsked()];
    const answers = await Promise.all([refund(id), refund(id)]);
    for (const { status, body } of [...answers, await refund(id)])
      expect([status, body.status, body.refundableAmount]).to.deep.equal([200, 'Refunded', 0]);
    expect([double.taken(), refundsAsked()]).to.deep.equal([before - 1700, askedBefore + 1]);
    await toldOf('refund.created');
    expect((await listed()).map((row) => row.id)).to.not.include(id);
    const { invoiceId } = await ordered();
    expect((await match(id, invoiceId)).status).to.equal(409);
  });

  it('is on its way back until Stripe says more, and is listed again where it fails', async () => {
    const transactionId = await strayPayment({ payment_method: 'pm_card_pendingRefund' });
    const id = await idOf(transactionId);
    expect((await refund(id)).body).to.include({ status: 'RefundPending' });
    await shop.settle();
    expect(await rowOf(transactionId)).to.include({ status: 'RefundPending' });
    const { id: refundId } = (lastEvent(double, 'refund.created')['data'] as { object: { id: string } })
      .object;
    await pass(MONTH_MINUTES);
    double.endRefund(refundId, 'failed');
    await toldOf('refund.failed');
    const problem = 'The refund has failed: expired or canceled card.';
    expect(await rowOf(transactionId)).to.include({ status: 'Open', refundableAmount: 17, problem });
  });

  it('that Stripe does not give back says why', async () => {
    const transactionId = await strayPayment();
    const id = await idOf(transactionId);
    double.dispute(transactionId);
    const { status, body } = await refund(id);
    expect([status, body.status]).to.deep.equal([200, 'Open']);
    expect(body.problem).to.include('Answer the dispute at Stripe');
  });

  it('is asked for with the same key where no answer comes, and is given back once', async () => {
    const id = await idOf(await strayPayment());
    const before = double.taken();
    double.loseResponse('/v1/refunds');
    expect((await refund(id)).body).to.include({ status: 'RefundPending' });
    expect((await refund(id)).body).to.include({ status: 'Refunded' });
    expect(double.taken()).to.equal(before - 1700);
  });

  it('in another currency than its invoice is listed, and can only be given back', async () => {
    const { invoiceId } = await ordered();
    const transactionId = await strayPayment({ currency: 'eur', 'metadata[invoiceId]': invoiceId });
    expect(await rowOf(transactionId)).to.include({ namedInvoiceId: invoiceId, currencyCode: 'EUR' });
    const id = await idOf(transactionId);
    const { status, body } = await match(id, invoiceId);
    expect([status, body.code]).to.deep.equal([400, 'other-currency']);
    expect((await refund(id)).body).to.include({ status: 'Refunded' });
  });

  it('refuses an invoice and a payment that there are not, and changes nothing', async () => {
    const transactionId = await strayPayment();
    const id = await idOf(transactionId);
    const nobody = '00000000-0000-4000-8000-000000000000';
    expect((await match(id, nobody)).body).to.include({ code: 'invoice-not-found' });
    expect((await match(id, 'x')).status).to.equal(400);
    expect((await match(nobody, nobody)).status).to.equal(404);
    expect((await refund(nobody)).status).to.equal(404);
    expect(await rowOf(transactionId)).to.include({ status: 'Open', refundableAmount: 17 });
  });

  describe('of a wallet whose order was never placed', () => {
    const paidAlone = async () => {
      const shopper = shop.shopper();
      const { body } = await shop
        .given(...readyToPay(mug))
        .by(shopper)
        .when(post('/api/shop/checkout/express-payment-intent', { providerAlias: 'stripe' }))
        .then(200);
      const intentId = String(body.paymentIntentId);
      double.payIn(intentId);
      await toldOf('payment_intent.succeeded');
      return { shopper, intentId };
    };

    const orderLater = async (shopper: Shopper) =>
      (
        await shop
          .given(...readyToPay(mug).slice(1))
          .by(shopper)
          .when(pay({ providerAlias: 'stripe' }))
          .then(200)
      ).body;

    it('is listed once it is an hour old, and is neither dropped nor forgotten after thirty days', async () => {
      const { intentId } = await paidAlone();
      expect(await rowOf(intentId)).to.equal(undefined);
      await pass(61);
      expect(await rowOf(intentId)).to.include({ status: 'Open', amount: 17 });
      for (let month = 0; month < 2; month++) await pass(MONTH_MINUTES);
      expect((await refund(await idOf(intentId))).body).to.include({ status: 'Refunded' });
    });

    it('is of its order after all where that is placed later, and is listed no more', async () => {
      const { shopper, intentId } = await paidAlone();
      await pass(61);
      const id = await idOf(intentId);
      const body = await orderLater(shopper);
      await pass(61);
      expect(await paidOf(body.invoiceId)).to.deep.equal({ paymentStatus: 'Paid', amountPaid: 17 });
      expect(await rowOf(intentId)).to.equal(undefined);
      const [taken, { status }] = [double.taken(), await refund(id)];
      expect([status, double.taken()]).to.deep.equal([409, taken]);
    });

    it('that was given back buys nothing that its wallet comes back for', async () => {
      const { shopper, intentId: paymentIntentId } = await paidAlone();
      await pass(61);
      const id = await idOf(paymentIntentId);
      const home = {
        ...{ fullName: 'Ada Lovelace', line1: '1 High Street', city: 'London' },
        ...{ postalCode: 'SW1A 1AA', countryCode: 'GB' },
      };
      const customerData = { email: 'ada@example.com', shippingAddress: home, billingAddress: home };
      const wallet = { providerAlias: 'stripe', paymentToken: 'pm_card_visa', paymentIntentId };
      expect((await refund(id)).body).to.include({ status: 'Refunded' });
      const taken = double.taken();
      await shop
        .given(...readyToPay(mug).slice(1))
        .by(shopper)
        .when(post('/api/shop/checkout/express', { ...wallet, customerData }))
        .then(409)
        .and(refusedFor('intent-mismatch'));
      expect(double.taken()).to.equal(taken);
    });

    it('that was given back pays no order that comes later', async () => {
      const { shopper, intentId } = await paidAlone();
      await pass(61);
      expect((await refund(await idOf(intentId))).body).to.include({ status: 'Refunded' });
      const body = await orderLater(shopper);
      await pass(61);
      expect(await paidOf(body.invoiceId)).to.include({ amountPaid: 0 });
    });
  });
});

import { expect } from 'chai';
import { manage, pay, payInvoice, readyToPay } from '#test/support/requests.ts';
import type { TestShop } from '#test/support/shop.ts';
import type { StripeDouble } from '#test/support/stripe/stripe-double.ts';
import { lastEvent, openStripeShop, tellShop } from '#test/support/stripe/stripe-shop.ts';

const THREE_DAYS_SECONDS = 3 * 24 * 60 * 60;

// docs/rules/stripe.md#afterwards
describe('what Stripe tells of a payment afterwards', () => {
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

  const ordered = async () => {
    const shopper = shop.shopper();
    const { body: begun } = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(pay({ providerAlias: 'stripe' }))
      .then(200);
    return { shopper, invoiceId: String(begun.invoiceId), ...begun };
  };
  /** An order of 17.00, paid by this card. */
  const bought = async (paymentMethodToken = 'pm_card_visa') => {
    const { shopper, invoiceId } = await ordered();
    const { body: paid } = await shop
      .given()
      .by(shopper)
      .when(payInvoice(invoiceId, { providerAlias: 'stripe', paymentMethodToken }))
      .then(200, { status: 'Completed' });
    await shop.settle();
    return { invoiceId, paymentId: String(paid.paymentId), intentId: String(paid.transactionId) };
  };
  const told = async (type: string, of: StripeDouble = double) => {
    expect((await tellShop(shop, lastEvent(of, type))).status, type).to.equal(200);
    await shop.settle();
  };
  const threeDaysPass = () => shop.tester.post('/testing/clock', { advanceSeconds: THREE_DAYS_SECONDS });
  const shown = (path: string) => shop.shown(path) as Promise<Record<string, unknown>>;
  const notesOf = async (invoiceId: string) =>
    ((await shown(`/orders/${invoiceId}`))['notes'] as { text: string }[]).map(({ text }) => text);
  const refund = async (paymentId: string, amount: number | null = null) => {
    const asked = manage.post(`/payments/${paymentId}/refund`, { reason: 'Damaged', amount });
    const answer = await shop.admin.ask(asked);
    await shop.settle();
    return answer;
  };
  const statusOf = async (invoiceId: string) => {
    const { paymentStatus, amountPaid, amountRefunded } = await shown(
      `/invoices/${invoiceId}/payment-status`,
    );
    return { paymentStatus, amountPaid, amountRefunded };
  };

  describe('its risk', () => {
    const riskOf = async (invoiceId: string) => {
      const { maxRiskScore, maxRiskScoreSource, riskLevel } = await shown(`/orders/${invoiceId}`);
      return { maxRiskScore, maxRiskScoreSource, riskLevel };
    };
    const elevated = { maxRiskScore: 68, maxRiskScoreSource: 'radar', riskLevel: 'medium' };

    for (const [card, risk] of [
      ['pm_card_visa', { maxRiskScore: 12, maxRiskScoreSource: 'radar', riskLevel: 'minimal' }],
      ['pm_card_riskLevelElevated', elevated],
      ['pm_card_riskLevelHighest', { maxRiskScore: 89, maxRiskScoreSource: 'radar', riskLevel: 'high' }],
    ] as const)
      it(`is shown with the order that is paid by ${card}`, async () => {
        const { invoiceId } = await bought(card);
        expect(await riskOf(invoiceId)).to.deep.equal(risk);
      });

    for (const order of [
      ['payment_intent.succeeded', 'charge.succeeded'],
      ['charge.succeeded', 'payment_intent.succeeded'],
    ])
      it(`is shown with what was paid in the browser, told by ${order.join(', then ')}`, async () => {
        const { invoiceId, sessionId, clientSecret } = await ordered();
        const payment_method = 'pm_card_riskLevelElevated';
        const fields = { client_secret: clientSecret, payment_method, return_url: shop.base };
        await double.confirmInBrowser(sessionId, fields);
        for (const type of order) await told(type);
        expect(await riskOf(invoiceId)).to.deep.equal(elevated);
        expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'Paid', amountPaid: 17 });
      });
  });

  describe('a refund', () => {
    it('that fails three days later gives its amount back to the books, and staff see it', async () => {
      const { invoiceId, paymentId } = await bought();
      const { body: made } = await refund(paymentId, 5);
      expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'PartiallyRefunded', amountRefunded: 5 });
      await threeDaysPass();
      double.endRefund(String(made.transactionId), 'failed');
      await told('refund.updated');
      await told('refund.failed');
      expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'Paid', amountRefunded: 0 });
      expect((await notesOf(invoiceId)).join()).to.include('expired or canceled card');
      const check = await shown('/health-checks/money-owed-back/details');
      expect(JSON.stringify(check)).to.include('5.00').and.include('expired or canceled card');
      expect(await shown(`/payments/${paymentId}`)).to.include({ refundableAmount: 17 });
    });

    it('that is on its way counts nowhere until Stripe says that it has arrived', async () => {
      const { invoiceId, paymentId } = await bought('pm_card_pendingRefund');
      const { body: made } = await refund(paymentId, 5);
      expect(made).to.include({ paymentSuccess: false, status: 'Pending' });
      expect(await statusOf(invoiceId)).to.include({ amountRefunded: 0 });
      await threeDaysPass();
      double.endRefund(String(made.transactionId), 'succeeded');
      await told('refund.updated');
      expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'PartiallyRefunded', amountRefunded: 5 });
    });
  });

  describe('a dispute', () => {
    const lost = async (disputeId: string) => {
      double.endDispute(disputeId, 'lost');
      await told('charge.dispute.closed');
    };

    it('of a payment that was given back in part is noted with what is lost twice', async () => {
      const { invoiceId, paymentId, intentId } = await bought();
      await refund(paymentId, 5);
      const disputeId = double.dispute(intentId);
      await told('charge.dispute.created');
      await lost(disputeId);
      expect(await statusOf(invoiceId)).to.deep.equal({
        paymentStatus: 'Refunded',
        amountPaid: 17,
        amountRefunded: 17,
      });
      expect((await notesOf(invoiceId)).join()).to.include('5.00 more than was left of the payment');
    });

    it('of a payment that was given back in full stands with it, and its loss is noted', async () => {
      const { invoiceId, paymentId, intentId } = await bought();
      await refund(paymentId);
      const disputeId = double.dispute(intentId);
      await told('charge.dispute.created');
      expect(await shown(`/payments/${paymentId}`)).to.have.nested.property(
        'extendedData.dispute.status',
        'opened',
      );
      await lost(disputeId);
      expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'Refunded', amountRefunded: 17 });
      expect((await notesOf(invoiceId)).join()).to.include('17.00 more than was left of the payment');
    });

    it('keeps its payment from being given back at Stripe, in words for staff', async () => {
      const { paymentId, intentId } = await bought();
      double.dispute(intentId);
      await told('charge.dispute.created');
      const { status, body } = await refund(paymentId, 5);
      expect([status, JSON.stringify(body)]).to.satisfy(
        ([code, text]: [number, string]) => code === 400 && text.includes('Answer the dispute at Stripe'),
      );
    });

    it('that is only an inquiry leaves the payment as it is, and the orders go on', async () => {
      const { invoiceId, paymentId, intentId } = await bought();
      const disputeId = double.dispute(intentId, 'warning_needs_response');
      await told('charge.dispute.created');
      expect((await refund(paymentId, 5)).status).to.equal(200);
      double.endDispute(disputeId, 'warning_closed');
      await told('charge.dispute.closed');
      expect(await statusOf(invoiceId)).to.include({ amountRefunded: 5 });
      expect(JSON.stringify(await shown(`/orders/${invoiceId}`))).to.include('ReadyToFulfill');
    });

    it('that is won after it was lost changes no figure, and staff are told', async () => {
      const { invoiceId, intentId } = await bought();
      const disputeId = double.dispute(intentId);
      await told('charge.dispute.created');
      await lost(disputeId);
      double.endDispute(disputeId, 'won');
      await told('charge.dispute.closed');
      expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'Refunded', amountRefunded: 17 });
      expect((await notesOf(invoiceId)).join()).to.include('was won after it was lost');
    });
  });

  for (const [what, type, object, expected] of [
    [
      'is to be reviewed',
      'review.opened',
      { object: 'review', open: true, reason: 'rule' },
      'wants it reviewed (rule)',
    ],
    [
      'was reviewed',
      'review.closed',
      { object: 'review', open: false, reason: 'refunded_as_fraud' },
      'review at Radar is over: refunded as fraud',
    ],
    [
      'is of a payer whose bank suspects fraud',
      'radar.early_fraud_warning.created',
      { object: 'radar.early_fraud_warning', actionable: true, fraud_type: 'made_with_stolen_card' },
      'takes it to be fraud (made with stolen card). Refund it',
    ],
  ] as const) {
    it(`tells staff of a payment that ${what}, once`, async () => {
      const { invoiceId, intentId } = await bought();
      const before = await statusOf(invoiceId);
      const event = { id: `evt_${type}`, object: 'event', type };
      const data = { object: { id: 'prv_1', charge: 'ch_1', payment_intent: intentId, ...object } };
      for (const copy of [1, 2]) {
        const { status, body } = await tellShop(shop, { ...event, data });
        expect([status, body.message]).to.deep.equal([
          200,
          copy === 1 ? 'Webhook processed' : 'Already processed',
        ]);
      }
      await shop.settle();
      const notes = (await notesOf(invoiceId)).filter((text) => text.includes(expected));
      expect(notes, expected).to.have.length(1);
      expect(notes[0]).to.include(intentId);
      expect(await statusOf(invoiceId)).to.deep.equal(before);
    });
  }

  it('tells staff of a suspected payment that the shop learns of only then, once', async () => {
    const { intentId: known } = await bought();
    const { invoiceId } = await ordered();
    const early = {
      charge: 'ch_1',
      payment_intent: 'pi_early',
      object: 'review',
      open: true,
      reason: 'rule',
    };
    const review = { id: 'evt_early', object: 'event', type: 'review.opened', data: { object: early } };
    expect((await tellShop(shop, review)).status).to.equal(200);
    const paid = lastEvent(double, 'payment_intent.succeeded') as { data: { object: object } };
    expect(paid.data.object).to.include({ id: known });
    const object = { ...paid.data.object, id: 'pi_early', metadata: { invoiceId } };
    expect((await tellShop(shop, { ...paid, id: 'evt_paid', data: { object } })).status).to.equal(200);
    await shop.tester.post('/testing/clock', { advanceSeconds: 60 });
    await shop.tester.post('/testing/jobs/apply-parked-callbacks');
    await shop.settle();
    expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'Paid' });
    expect((await notesOf(invoiceId)).filter((text) => text.includes('wants it reviewed'))).to.have.length(1);
  });
});

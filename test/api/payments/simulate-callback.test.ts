import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { TestShop } from '#test/support/shop.ts';

describe('an event of a payment provider that staff try out', () => {
  let shop: TestShop;
  let invoiceId: string;
  before(async () => {
    shop = await TestShop.open();
    const mug = await shop.sell('mug', { price: 10 });
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    invoiceId = (await shopper.pay()).body.invoiceId;
  });
  after(() => shop.close());

  const simulate = (body: object, alias = 'sandbox') =>
    shop.admin.post(`/backoffice/api/v1/payment-providers/${alias}/simulate-webhook`, body);

  it('has the effect of one, says what came of it, and has it once', async () => {
    const event = {
      eventType: 'paymentcompleted',
      eventId: 'tried out',
      invoiceId,
      transactionId: 'never',
      customPayload: { transactionId: 'tx-1', amount: 17, currency: 'gbp' },
    };
    const { status, body } = await simulate(event);
    expect([status, body]).to.deep.equal([
      200,
      {
        success: true,
        eventTypeDetected: 'PaymentCompleted',
        actionsPerformed: ['The event was recorded on its invoice.'],
        payload: JSON.stringify({
          id: 'tried out',
          type: 'PaymentCompleted',
          data: { transactionId: 'tx-1', invoiceId, amount: 17, currency: 'GBP' },
        }),
        errorMessage: null,
      },
    ]);
    expect((await simulate(event)).body.actionsPerformed).to.deep.equal([
      'The event had been processed before.',
    ]);
    await shop.settle();
    const { body: order } = await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`);
    expect(order).to.include({ paymentStatus: 'Paid', amountPaid: 17 });
  });

  it('says why nothing came of it', async () => {
    const nobodys = { eventType: 0, invoiceId: newId(), transactionId: 'tx-2', amount: 1, currency: 'GBP' };
    expect((await simulate(nobodys)).body).to.include({
      success: false,
      errorMessage: 'No invoice was found for the event.',
    });
    expect((await simulate({ eventType: 'Unknown' })).body).to.deep.include({
      success: true,
      actionsPerformed: ['The shop has no use for events of this type.'],
    });
  });

  it('is refused where it is not as expected, by name of the field, and to those who may only read', async () => {
    const refusals: readonly (readonly [object, RegExp])[] = [
      [{}, /eventType/],
      [{ eventType: 'PaymentLost' }, /eventType/],
      [{ eventType: 0, invoiceId: 'mine' }, /invoiceId/],
      [{ eventType: 0, amount: -1 }, /amount/],
      [{ eventType: 0, amount: 1 }, /currency/],
      [{ eventType: 0, amount: 1.001, currency: 'GBP' }, /amount/],
      [{ eventType: 0, currency: 'GALLEONS' }, /currency/],
      [{ eventType: 5, outcome: 'drawn' }, /outcome/],
    ];
    for (const [body, field] of refusals) {
      const { status, body: answer } = await simulate(body);
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(JSON.stringify(answer.errors)).to.match(field);
    }
    const nobody = await simulate({ eventType: 0 }, 'stripy');
    expect([nobody.status, nobody.body.message]).to.deep.equal([404, "Provider 'stripy' not found."]);
    const stranger = await shop
      .shopper()
      .post('/backoffice/api/v1/payment-providers/sandbox/simulate-webhook', { eventType: 0 });
    expect(stranger.status).to.equal(401);
  });
});

describe('the same in production', () => {
  it('is refused for every provider but the sandbox', async () => {
    const shop = await TestShop.open({ config: { isProduction: true } });
    try {
      const path = (alias: string) => `/backoffice/api/v1/payment-providers/${alias}/simulate-webhook`;
      const refused = await shop.admin.post(path('manual'), { eventType: 'Unknown' });
      expect([refused.status, refused.body.message]).to.deep.equal([
        400,
        'In production only the sandbox can be simulated.',
      ]);
      expect((await shop.admin.post(path('sandbox'), { eventType: 'Unknown' })).status).to.equal(200);
    } finally {
      await shop.close();
    }
  });
});

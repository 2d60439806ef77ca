import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { sendEvent } from '#test/support/provider-callbacks.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

describe('F11: two refunds at once, and the provider tells of one of them', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  it('gives back no more than was paid, and the callback adds nothing', async () => {
    const mug = await shop.sell('mug', { price: 80 });
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    const { invoiceId } = (await shopper.pay()).body;
    const paid = (await shopper.payWith(invoiceId)).body;
    await shop.settle();
    const path = `/backoffice/api/v1/payments/${paid.paymentId}/refund`;
    const refunds = await Promise.all(
      [1, 2].map(() => shop.admin.post(path, { amount: 60, reason: 'broken' })),
    );
    expect(refunds.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    const accepted = refunds.find(({ status }) => status === 200)?.body;
    expect(accepted).to.include({ amount: -60, paymentSuccess: true });

    const data = {
      transactionId: paid.transactionId,
      invoiceId,
      refundId: accepted.transactionId,
      amount: 60,
      currency: 'GBP',
    };
    for (const id of [newId(), newId()])
      expect((await sendEvent(shop.tester, { id, type: 'RefundCompleted', data })).status).to.equal(200);
    await shop.settle();
    const made = (await eventsIn(shop)).filter(({ type }) => type === 'PaymentRefunded');
    expect(made).to.have.length(1);
    const atSandbox = (await shop.tester.get('/testing/sandbox-refunds')).body as { amount: number }[];
    expect(atSandbox.map(({ amount }) => amount)).to.deep.equal([60]);
  });
});

describe('F31: a payment that comes when its invoice has expired', () => {
  it('is recorded, and given back once, however often it is told', async () => {
    const shop = await TestShop.open();
    try {
      const mug = await shop.sell('mug', { price: 10, stock: 1 });
      const shopper = shop.shopper();
      await shopper.prepare(mug);
      const { invoiceId } = (await shopper.pay()).body;
      await shop.settle();
      await shop.tester.post('/testing/clock', { advanceSeconds: 2 * 24 * 3600 });
      await shop.tester.post('/testing/jobs/release-reservations');
      const data = { transactionId: 'tx-late', invoiceId, amount: 17, currency: 'GBP' };
      const id = newId();
      const copies = [id, id, newId(), newId()].map((eventId) => ({
        id: eventId,
        type: 'PaymentCompleted',
        data,
      }));
      const answers = await Promise.all(copies.map((event) => sendEvent(shop.tester, event)));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      await shop.settle();
      const types = (await eventsIn(shop))
        .filter(({ stream }) => stream === `invoice-${invoiceId}`)
        .map(({ type }) => type);
      const count = (type: string): number => types.filter((one) => one === type).length;
      expect(
        {
          payments: count('PaymentCaptured'),
          refunds: count('PaymentRefunded'),
          sales: count('SaleConfirmed'),
          notes: count('InvoiceNoted'),
        },
        types.join(),
      ).to.deep.equal({ payments: 1, refunds: 1, sales: 0, notes: 1 });
      const refunds = (await shop.tester.get('/testing/sandbox-refunds')).body as { amount: number }[];
      expect(refunds.map(({ amount }) => amount)).to.deep.equal([17]);
      const [charge] = (await shop.charges()) as readonly { status?: string }[];
      expect(charge?.status).to.equal('Refunded');
      // Nothing of it is sold: the last mug is there for somebody else.
      expect((await shop.shopper().add(mug)).status).to.equal(200);
    } finally {
      await shop.close();
    }
  });
});

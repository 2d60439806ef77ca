import { expect } from 'chai';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

const authorizing: readonly Death[] = [
  { when: 'before', eventType: 'PaymentAuthorized' },
  { when: 'after', eventType: 'PaymentAuthorized' },
  { when: 'before', eventType: 'SaleConfirmed' },
];
const capturing: readonly Death[] = [
  { when: 'after', eventType: 'CaptureAttempted' },
  { when: 'before', eventType: 'PaymentCaptured' },
  { when: 'after', eventType: 'PaymentCaptured' },
];
const voiding: readonly Death[] = [
  { when: 'after', eventType: 'VoidAttempted' },
  { when: 'before', eventType: 'AuthorizationReleased' },
];

// docs/rules/authorizations.md#asking
describe('A shop that is killed while money is set aside', () => {
  const at = useMortalShop();
  let tea: string;
  beforeEach(async () => {
    tea = await at.shop.sell('tea', { price: 10, stock: 5 });
    const configuration = { capture: 'manual' };
    const settings = manage.put('/payment-providers/sandbox/settings', { configuration });
    expect((await at.shop.admin.ask(settings)).status).to.equal(200);
  });

  const ordered = async (diesAt: Death) => {
    await at.shop.live(diesAt);
    const shopper = at.shop.shopper();
    await shopper.prepare(tea);
    return { shopper, invoiceId: (await shopper.pay()).body.invoiceId as string };
  };
  const authorized = async (diesAt: Death) => {
    const { shopper, invoiceId } = await ordered(diesAt);
    const { body } = await shopper.payWith(invoiceId);
    expect(body).to.include({ status: 'Authorized' });
    return { invoiceId, paymentId: body.paymentId as string };
  };
  const statusOf = async (invoiceId: string) =>
    (await at.shop.admin.ask(manage.get(`/invoices/${invoiceId}/payment-status`))).body;

  for (const point of authorizing)
    it(`${point.when} ${point.eventType}, sells once`, async () => {
      const { shopper, invoiceId } = await ordered(point);
      await at.shop.killedBy(shopper.payWith(invoiceId));
      await at.shop.settle();
      expect(await statusOf(invoiceId)).to.include({
        paymentStatus: 'AwaitingPayment',
        authorizedAmount: 17,
      });
      await at.shop.soundSales();
    });

  for (const point of capturing)
    it(`${point.when} ${point.eventType}, captures once`, async () => {
      const { invoiceId, paymentId } = await authorized(point);
      await at.shop.killedBy(at.shop.admin.ask(manage.post(`/payments/${paymentId}/capture`, {})));
      await at.shop.settle();
      expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'Paid', amountPaid: 17 });
      await at.shop.soundSales();
    });

  for (const point of voiding)
    it(`${point.when} ${point.eventType}, lets go once`, async () => {
      const { invoiceId, paymentId } = await authorized(point);
      await at.shop.killedBy(at.shop.admin.ask(manage.post(`/payments/${paymentId}/void`, {})));
      await at.shop.settle();
      expect(await statusOf(invoiceId)).to.include({ paymentStatus: 'Unpaid', authorizedAmount: 0 });
      await at.shop.soundSales();
    });
});

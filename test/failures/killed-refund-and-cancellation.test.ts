import { expect } from 'chai';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

const refunding: readonly Death[] = [
  { when: 'after', eventType: 'RefundAttempted' },
  { when: 'before', eventType: 'PaymentRefunded' },
];
const cancelling: readonly Death[] = [
  { when: 'after', eventType: 'InvoiceCancelled' },
  { when: 'after', eventType: 'StockReleased' },
  { when: 'after', eventType: 'DiscountUseReleased' },
  { when: 'before', eventType: 'InvoiceCleared' },
];

describe('A shop that is killed half way', () => {
  const at = useMortalShop();
  let tea: string;
  let welcome: string;
  beforeEach(async () => {
    tea = await at.shop.sell('tea', { price: 10, stock: 5 });
    welcome = await at.shop.rule('WELCOME', {
      method: 'Code',
      code: 'WELCOME',
      totalUsageLimit: 5,
      perCustomerUsageLimit: 1,
    });
  });

  /** An order of a tea that is paid by card, in a shop that will die. */
  const sold = async (diesAt: Death) => {
    await at.shop.live(diesAt);
    const shopper = at.shop.shopper();
    await shopper.prepare(tea);
    expect((await shopper.applyCode('WELCOME')).status).to.equal(200);
    const invoiceId = (await shopper.pay()).body.invoiceId as string;
    const paymentId = (await shopper.payWith(invoiceId)).body.paymentId as string;
    return { invoiceId, paymentId };
  };

  for (const point of refunding) {
    it(`through a refund, ${point.when} ${point.eventType}, gives the money back at most once`, async () => {
      const { paymentId } = await sold(point);
      await at.shop.killedBy(
        at.shop.admin.ask(manage.post(`/payments/${paymentId}/refund`, { reason: 'Damaged' })),
      );
      await at.shop.settle();
      await at.shop.soundSales();
    });
  }

  for (const point of cancelling) {
    it(`through a cancellation, ${point.when} ${point.eventType}, gives everything back once`, async () => {
      const { invoiceId } = await sold(point);
      const cancel = manage.post(`/orders/${invoiceId}/cancel`, { reason: 'Changed her mind' });
      await at.shop.killedBy(at.shop.admin.ask(cancel));
      expect((await at.shop.admin.ask(cancel)).status).to.equal(200);
      await at.shop.settle();
      const rule = (await at.shop.admin.ask(manage.get(`/discounts/${welcome}`))).body;
      expect(rule, 'its use too').to.include({ usageCount: 0 });
      await at.shop.soundSales();
    });
  }
});

import { expect } from 'chai';
import { MortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

const refunding: readonly Death[] = [
  { when: 'after', eventType: 'RefundAttempted' },
  { when: 'before', eventType: 'PaymentRefunded' },
];
const cancelling: readonly Death[] = [
  { when: 'after', eventType: 'InvoiceCancelled' },
  { when: 'after', eventType: 'StockReleased' },
  { when: 'before', eventType: 'InvoiceCleared' },
];

describe('A shop that is killed half way', () => {
  let shop: MortalShop;
  let tea: string;
  beforeEach(async () => {
    shop = await MortalShop.open();
    tea = await shop.sell('tea', { price: 10, stock: 5 });
  });
  afterEach(() => shop.close());

  /** An order of a tea that is paid by card, in a shop that will die. */
  const sold = async (diesAt: Death) => {
    await shop.live(diesAt);
    const shopper = shop.shopper();
    await shopper.prepare(tea);
    const invoiceId = (await shopper.pay()).body.invoiceId as string;
    const paymentId = (await shopper.payWith(invoiceId)).body.paymentId as string;
    return { invoiceId, paymentId };
  };

  for (const point of refunding) {
    it(`through a refund, ${point.when} ${point.eventType}, gives the money back at most once`, async () => {
      const { paymentId } = await sold(point);
      await shop.dieOf(shop.admin.ask(manage.post(`/payments/${paymentId}/refund`, { reason: 'Damaged' })));
      await shop.live();
      await shop.settle();
      expect((await shop.audit()).problems).to.deep.equal([]);
    });
  }

  for (const point of cancelling) {
    it(`through a cancellation, ${point.when} ${point.eventType}, gives everything back once`, async () => {
      const { invoiceId } = await sold(point);
      const cancel = manage.post(`/orders/${invoiceId}/cancel`, { reason: 'Changed her mind' });
      await shop.dieOf(shop.admin.ask(cancel));
      await shop.live();
      expect((await shop.admin.ask(cancel)).status).to.equal(200);
      await shop.settle();
      expect((await shop.audit()).problems).to.deep.equal([]);
    });
  }
});

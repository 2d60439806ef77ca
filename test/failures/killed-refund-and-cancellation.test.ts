import { expect } from 'chai';
import { ShopProcess } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';

const TEA = variantId('tea');
const management = '/backoffice/api/v1';

type Death = NonNullable<Parameters<typeof ShopProcess.open>[0]>['diesAt'];

const refunding: readonly NonNullable<Death>[] = [
  { when: 'after', eventType: 'RefundAttempted' },
  { when: 'before', eventType: 'PaymentRefunded' },
];
const cancelling: readonly NonNullable<Death>[] = [
  { when: 'after', eventType: 'InvoiceCancelled' },
  { when: 'after', eventType: 'StockReleased' },
  { when: 'before', eventType: 'InvoiceCleared' },
];

/** A shop that will die, and in it an order of a tea that is paid by card. */
const openWithSale = async (diesAt: NonNullable<Death>) => {
  const shop = await ShopProcess.open({ storeFile: smallStore({ stock: { tea: 5 } }), diesAt });
  await shop.ready();
  const shopper = shop.shopper();
  await shopper.prepare(TEA);
  const invoiceId = (await shopper.pay()).body.invoiceId as string;
  const paymentId = (await shopper.payWith(invoiceId)).body.paymentId as string;
  return { shop, invoiceId, paymentId };
};

describe('A shop that is killed half way', () => {
  let shop: ShopProcess;
  afterEach(() => shop.close());

  for (const point of refunding) {
    it(`through a refund, ${point.when} ${point.eventType}, gives the money back at most once`, async () => {
      const opened = await openWithSale(point);
      ({ shop } = opened);
      const path = `${management}/payments/${opened.paymentId}/refund`;
      await shop.admin.post(path, { reason: 'Damaged' }).catch(() => null);
      await shop.died();
      await shop.start();
      await shop.settle();
      const { problems } = await shop.audit({});
      expect(problems).to.deep.equal([]);
    }).timeout(60_000);
  }

  for (const point of cancelling) {
    it(`through a cancellation, ${point.when} ${point.eventType}, gives everything back once`, async () => {
      const opened = await openWithSale(point);
      ({ shop } = opened);
      const path = `${management}/orders/${opened.invoiceId}/cancel`;
      await shop.admin.post(path, { reason: 'Changed her mind' }).catch(() => null);
      await shop.died();
      await shop.start();
      const again = await shop.admin.post(path, { reason: 'Changed her mind' });
      expect(again.status).to.equal(200);
      await shop.settle();
      const { problems } = await shop.audit({});
      expect(problems).to.deep.equal([]);
    }).timeout(60_000);
  }
});

import { expect } from 'chai';
import { keyed, manage } from '#test/support/requests.ts';
import { ShopProcess } from '#test/support/shop-process.ts';
import { smallStore } from '#test/support/small-store.ts';

const billingAddress = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  addressOne: '12 St James Square',
  townCity: 'London',
  postalCode: 'SW1Y 4JH',
  countryCode: 'GB',
};
const sell = keyed(
  'manual',
  manage.post('/orders/manual', { billingAddress, customItems: [{ name: 'Lamp', amount: 40 }] }),
);

/** docs/rules/manual-orders.md#steps */
describe('a shop that is killed while staff sell without a basket', () => {
  let shop: ShopProcess;
  afterEach(() => shop.close());

  for (const diesAt of [
    { when: 'after', eventType: 'CustomerRegistered' },
    { when: 'after', eventType: 'ManualOrderRequested' },
    { when: 'after', eventType: 'CustomerSaleRecorded' },
    { when: 'after', eventType: 'InvoiceNumberTaken' },
    { when: 'before', eventType: 'SaleConfirmed' },
    { when: 'after', eventType: 'SaleConfirmed' },
  ] as const)
    it(`${diesAt.when} ${diesAt.eventType}, makes one invoice under one number`, async () => {
      shop = await ShopProcess.open({ storeFile: smallStore({ stock: { tea: null } }), diesAt });
      await shop.ready();
      expect(await shop.admin.ask(sell).catch(() => null)).to.be.null;
      await shop.died();

      await shop.start();
      await shop.settle();
      const again = await shop.admin.ask(sell);
      expect(again.body).to.include({ success: true, invoiceNumber: 'INV-0001' });
      await shop.settle();
      const { body: orders } = await shop.admin.ask(manage.get('/orders?cancellationStatus=all'));
      expect(orders.items.map(({ id, total }: { id: string; total: number }) => [id, total])).to.deep.equal([
        [again.body.invoiceId, 40],
      ]);
      const { sales, problems } = await shop.audit();
      expect({ sales, problems }).to.deep.equal({ sales: 1, problems: [] });
    }).timeout(90_000);
});

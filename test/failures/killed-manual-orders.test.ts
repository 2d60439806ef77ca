import { expect } from 'chai';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { keyed, manage } from '#test/support/requests.ts';

const billingAddress = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  addressOne: '12 St James Square',
  townCity: 'London',
  postalCode: 'SW1Y 4JH',
  countryCode: 'GB',
};
const sell = (key: string) =>
  keyed(key, manage.post('/orders/manual', { billingAddress, customItems: [{ name: 'Lamp', amount: 40 }] }));

describe('a shop that is killed while staff sell without a basket', () => {
  const at = useMortalShop();

  /** Asked for by staff who hear no answer, and ask again. */
  const askedTwice = async (request: ReturnType<typeof keyed>) => {
    await at.shop.killedBy(at.shop.admin.ask(request));
    await at.shop.settle();
    const again = await at.shop.admin.ask(request);
    await at.shop.settle();
    return again.body;
  };

  /** docs/rules/manual-orders.md#steps */
  for (const diesAt of [
    { when: 'after', eventType: 'CustomerRegistered' },
    { when: 'after', eventType: 'ManualOrderRequested' },
    { when: 'after', eventType: 'CustomerSaleRecorded' },
    { when: 'after', eventType: 'InvoiceNumberTaken' },
    { when: 'before', eventType: 'SaleConfirmed' },
    { when: 'after', eventType: 'SaleConfirmed' },
    { when: 'after', eventType: 'CustomerOutstandingChanged' },
  ] as const)
    it(`${diesAt.when} ${diesAt.eventType}, makes one invoice under one number`, async () => {
      await at.shop.live(diesAt);
      const made = await askedTwice(sell('manual'));
      expect(made).to.include({ success: true, invoiceNumber: 'INV-0001' });
      const { body: orders } = await at.shop.admin.ask(manage.get('/orders?cancellationStatus=all'));
      expect(orders.items.map(({ id, total }: { id: string; total: number }) => [id, total])).to.deep.equal([
        [made.invoiceId, 40],
      ]);
      expect(await at.shop.soundSales()).to.equal(1);
    });

  /** docs/rules/payments.md#in-a-batch */
  for (const eventType of ['PaymentCaptured', 'CustomerOutstandingChanged', 'OutstandingNoted'] as const)
    it(`after ${eventType} of a batch, pays each invoice once, and tells of all`, async () => {
      await at.shop.live();
      const invoiceIds: string[] = [];
      for (const key of ['one', 'two', 'three'])
        invoiceIds.push((await at.shop.admin.ask(sell(key))).body.invoiceId);
      await at.shop.live({ when: 'after', eventType });
      const batch = { invoiceIds, paymentMethod: 'Bank' };
      const paid = await askedTwice(keyed('batch', manage.post('/orders/batch-mark-paid', batch)));
      expect(paid).to.include({ success: true, successCount: 3 });
      const { body: orders } = await at.shop.admin.ask(manage.get('/orders?paymentStatus=Paid'));
      expect(orders.totalItems).to.equal(3);
      expect(await at.shop.soundSales()).to.equal(3);
    });
});

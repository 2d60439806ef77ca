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

  /** docs/rules/manual-orders.md#steps: the last unit is wanted by two at once, each with something that is there. */
  const sellLast = (key: string, productIds: readonly string[]) =>
    keyed(
      key,
      manage.post('/orders/manual', {
        billingAddress,
        lineItems: productIds.map((productId) => ({ productId })),
      }),
    );

  const reservedOf = async (sku: string): Promise<number> => {
    const { body: found } = await at.shop.admin.ask(manage.get(`/products?search=${sku}`));
    const { body: product } = await at.shop.admin.ask(manage.get(`/products/${found.items[0].id}`));
    return product.variants[0].stock[0].reservedStock;
  };

  for (const diesAt of [
    { when: 'after', eventType: 'StockReserved' },
    { when: 'after', eventType: 'InvoiceNumberTaken' },
    { when: 'before', eventType: 'SaleConfirmed' },
    { when: 'before', eventType: 'ManualOrderRefused' },
    { when: 'after', eventType: 'ManualOrderRefused' },
    { when: 'after', eventType: 'StockReleased' },
    { when: 'after', eventType: 'ManualOrderCleared' },
  ] as const)
    it(`${diesAt.when} ${diesAt.eventType}, sells the last one once and keeps nothing of the other`, async () => {
      await at.shop.live();
      const common = await at.shop.sell('common', { price: 5, stock: 9 });
      const last = await at.shop.sell('last', { price: 5, stock: 1 });
      await at.shop.live(diesAt);
      const requests = ['one', 'two'].map((key) => sellLast(key, [common, last]));
      const ask = () => Promise.all(requests.map((request) => at.shop.admin.ask(request)));
      await at.shop.killedBy(ask());
      await at.shop.settle();
      const answers = await ask();
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
      await at.shop.settle();
      const { body: orders } = await at.shop.admin.ask(manage.get('/orders?cancellationStatus=all'));
      expect(orders.items).to.have.length(1);
      const reserved = await Promise.all(['common', 'last'].map(reservedOf));
      expect(reserved).to.deep.equal([1, 1]);
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

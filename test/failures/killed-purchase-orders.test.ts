import { expect } from 'chai';
import { customerOnAccount } from '#test/support/account-customers.ts';
import { Customer } from '#test/support/member-shop.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { manage, payByHand, post } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

const email = 'ada@example.com';

const order = () =>
  payByHand({ providerAlias: 'purchaseorder', formData: { purchaseOrderNumber: 'PO 4711' } });

/** docs/rules/purchase-orders.md#steps */
describe('a shop that is killed while it sells on account', () => {
  const at = useMortalShop();

  const opened = async (diesAt: Death) => {
    const tea = await at.shop.sell('tea', { price: 10 });
    await at.shop.live(diesAt);
    return customerOnAccount({ shop: at.shop, customer: () => new Customer(at.shop.base) }, email, tea, {
      creditLimit: 100,
    });
  };
  const owed = async (shopper: Customer): Promise<number> =>
    (await shopper.ask(post('/api/shop/checkout/credit-check', { email }))).body.outstandingBalance;

  for (const diesAt of [
    { when: 'after', eventType: 'PurchaseOrderRequested' },
    { when: 'after', eventType: 'CustomerCreditClaimed' },
    { when: 'after', eventType: 'PurchaseOrderAccepted' },
    { when: 'before', eventType: 'SaleConfirmed' },
  ] as const)
    it(`${diesAt.when} ${diesAt.eventType}, claims its credit once and announces the sale once`, async () => {
      const { shopper } = await opened(diesAt);
      await at.shop.killedBy(shopper.ask(order()));
      await at.shop.settle();
      const { body: orders } = await at.shop.admin.ask(manage.get('/orders'));
      const [{ id, total, paymentStatus }] = orders.items;
      expect(orders.totalItems).to.equal(1);
      expect(paymentStatus).to.equal('AwaitingPayment');
      expect(await owed(shopper)).to.equal(total);
      const again = await shopper.ask({ ...order(), body: { ...(order().body as object), invoiceId: id } });
      expect(again.body).to.include({ success: true, status: 'Pending', invoiceId: id });
      expect(await at.shop.soundSales()).to.equal(1);
    });

  for (const diesAt of [
    { when: 'after', eventType: 'PaymentCaptured' },
    { when: 'after', eventType: 'CustomerOutstandingChanged' },
  ] as const)
    it(`${diesAt.when} ${diesAt.eventType} of one that is paid later, frees the credit`, async () => {
      const { shopper } = await opened(diesAt);
      const { invoiceId } = (await shopper.ask(order())).body;
      const before = await owed(shopper);
      const arrives = manage.post(`/invoices/${invoiceId}/payments/manual`, {
        amount: 1,
        paymentMethod: 'Transfer',
      });
      await at.shop.killedBy(at.shop.admin.ask(arrives));
      await at.shop.settle();
      expect(await owed(shopper)).to.be.closeTo(before - 1, 0.001);
      expect(await at.shop.soundSales()).to.equal(1);
    });
});

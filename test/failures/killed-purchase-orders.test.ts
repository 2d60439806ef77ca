import { expect } from 'chai';
import { customerOnAccount } from '#test/support/account-customers.ts';
import { Customer } from '#test/support/member-shop.ts';
import { manage, payByHand, post } from '#test/support/requests.ts';
import { ShopProcess, type Death } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';

const TEA = variantId('tea');
const email = 'ada@example.com';

const order = () =>
  payByHand({ providerAlias: 'purchaseorder', formData: { purchaseOrderNumber: 'PO 4711' } });

/** docs/rules/purchase-orders.md#steps */
describe('a shop that is killed while it sells on account', () => {
  let shop: ShopProcess;
  afterEach(() => shop.close());

  const openAndDie = async (diesAt: Death) => {
    shop = await ShopProcess.open({ storeFile: smallStore({ stock: { tea: null } }), diesAt });
    await shop.ready();
    const opened = { shop, customer: () => new Customer(shop.base) };
    return customerOnAccount(opened, email, TEA, { creditLimit: 100 });
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
      const { shopper } = await openAndDie(diesAt);
      expect(await shopper.ask(order()).catch(() => null)).to.be.null;
      await shop.died();

      await shop.start();
      await shop.settle();
      const { body: orders } = await shop.admin.ask(manage.get('/orders'));
      const [{ id, total, paymentStatus }] = orders.items;
      expect(orders.totalItems).to.equal(1);
      expect(paymentStatus).to.equal('AwaitingPayment');
      expect(await owed(shopper)).to.equal(total);
      const again = await shopper.ask({ ...order(), body: { ...(order().body as object), invoiceId: id } });
      expect(again.body).to.include({ success: true, status: 'Pending', invoiceId: id });
      const { sales, problems } = await shop.audit();
      expect({ sales, problems }).to.deep.equal({ sales: 1, problems: [] });
    }).timeout(90_000);

  for (const diesAt of [
    { when: 'after', eventType: 'PaymentCaptured' },
    { when: 'after', eventType: 'CustomerOutstandingChanged' },
  ] as const)
    it(`${diesAt.when} ${diesAt.eventType} of one that is paid later, frees the credit`, async () => {
      const { shopper } = await openAndDie(diesAt);
      const { invoiceId } = (await shopper.ask(order())).body;
      const before = await owed(shopper);
      const arrives = manage.post(`/invoices/${invoiceId}/payments/manual`, {
        amount: 1,
        paymentMethod: 'Transfer',
      });
      expect(await shop.admin.ask(arrives).catch(() => null)).to.be.null;
      await shop.died();

      await shop.start();
      await shop.settle();
      expect(await owed(shopper)).to.be.closeTo(before - 1, 0.001);
      const { sales, problems } = await shop.audit();
      expect({ sales, problems }).to.deep.equal({ sales: 1, problems: [] });
    }).timeout(90_000);
});

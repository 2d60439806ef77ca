import { expect } from 'chai';
import { customerOnAccount } from '#test/support/account-customers.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { manage, payByHand, post } from '#test/support/requests.ts';
import { refusedFor } from '#test/support/scene.ts';

const email = 'ada@example.com';
/** A mug with its shipping and tax, in the shop of tests. */
const MUG = 17;
const onAccount = payByHand({ providerAlias: 'purchaseorder', formData: { purchaseOrderNumber: 'PO 1' } });

// docs/rules/account-terms.md#outstanding
describe('A customer with account terms', () => {
  let opened: MemberShop;
  before(async () => void (opened = await openMemberShop()));
  after(() => opened.close());

  it('owes what staff sell as well, which leaves less for purchase orders until it is paid', async () => {
    const { shop } = opened;
    const mug = await shop.sell('MUG', { price: 10 });
    const terms = { paymentTermsDays: 30, creditLimit: MUG + 99 };
    const { shopper, customerId } = await customerOnAccount(opened, email, mug, terms);
    const asked = async (path: string) => {
      await shop.settle();
      return (await shop.admin.ask(manage.get(path))).body;
    };
    const owed = () => asked(`/customers/${customerId}/outstanding`);

    const { body: sold } = await shop.admin.ask(
      manage.post('/orders/manual', {
        billingAddress: {
          ...{ name: 'Ada Lovelace', email, addressOne: '12 St James Square', townCity: 'London' },
          ...{ postalCode: 'SW1Y 4JH', countryCode: 'GB' },
        },
        customItems: [{ name: 'Engraving', amount: 50, quantity: 2 }],
      }),
    );
    expect(sold.isSuccessful, JSON.stringify(sold)).to.equal(true);
    expect(await owed()).to.include({
      ...{ totalOutstanding: 100, invoiceCount: 1, totalOverdue: 0, availableCredit: MUG - 1 },
      creditWarningLevel: 'warning',
    });
    await shop.given().by(shopper).when(onAccount).then(400).and(refusedFor('credit-limit-exceeded'));
    const { body: checked } = await shopper.ask(post('/api/shop/checkout/credit-check', { email }));
    expect(checked).to.include({ outstandingBalance: 100, availableCredit: MUG - 1 });
    const { items } = await asked('/orders/outstanding');
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ id: sold.invoiceId, balanceDue: 100, daysUntilDue: 30 });

    await shop.admin.ask(
      manage.post(`/invoices/${sold.invoiceId}/payments/manual`, { amount: 1, paymentMethod: 'Cash' }),
    );
    await shop.given().by(shopper).when(onAccount).then(200);
    expect(await owed()).to.include({ totalOutstanding: 99 + MUG, invoiceCount: 2, availableCredit: 0 });
    await shop.admin.ask(
      manage.post('/orders/batch-mark-paid', { invoiceIds: [sold.invoiceId], paymentMethod: 'Transfer' }),
    );
    expect(await owed()).to.include({ totalOutstanding: MUG, invoiceCount: 1, availableCredit: 99 });
    const statement = await asked(`/customers/${customerId}/statement`);
    expect(statement).to.include({ openingBalance: 0, closingBalance: MUG, customerEmail: email });
    expect(statement.ageing).to.include({ current: MUG, total: MUG });
    expect(statement.lines).to.have.length(4);
  });

  it('is listed among those who owe on account from when terms are given', async () => {
    const { shop } = opened;
    const guest = 'guest@example.com';
    await shop.admin.ask(
      manage.post('/orders/manual', {
        billingAddress: {
          ...{ name: 'A Guest', email: guest, addressOne: '1 High Street', townCity: 'London' },
          ...{ postalCode: 'SW1Y 4JH', countryCode: 'GB' },
        },
        customItems: [{ name: 'Engraving', amount: 5, quantity: 1 }],
      }),
    );
    const listed = async (query: string) => {
      await shop.settle();
      return (await shop.admin.ask(manage.get(`/orders/outstanding?search=${guest}${query}`))).body;
    };
    expect((await listed('')).totalItems).to.equal(0);
    const { items } = await listed('&accountCustomersOnly=false');
    const customer = items[0].customerId as string;
    await shop.admin.ask(manage.put(`/customers/${customer}`, { hasAccountTerms: true }));
    expect((await listed('')).totalItems).to.equal(1);
    await shop.admin.ask(manage.put(`/customers/${customer}`, { hasAccountTerms: false }));
    expect((await listed('')).totalItems).to.equal(0);
  });
});

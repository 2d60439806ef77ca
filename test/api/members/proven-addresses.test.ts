import { expect } from 'chai';
import { customerNamed, giveTerms } from '#test/support/account-customers.ts';
import { goodPassword, openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';
import { manage, payByHand } from '#test/support/requests.ts';

const ownersPassword = 'the password of the true owner';

/** What an address earns is its owner's (docs/rules/members.md#linked): anybody can make an account with it. */
describe('An account with an address that is not proven', () => {
  let opened: MemberShop;
  let mugId: string;
  let people = 0;
  let email: string;
  let thief: Customer;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10 });
    const make = async (path: string, given: object) => {
      const { status, body, text } = await opened.shop.admin.ask(manage.post(path, given));
      if (status !== 201) throw new Error(text);
      return body;
    };
    const criteria = [{ field: 'Email', operator: 'Contains', value: '@staff.example' }];
    const staff = { name: 'Staff', segmentType: 'Automated', criteria, isActive: true };
    const { id } = await make('/customer-segments', staff);
    await make('/discounts', {
      name: 'Staff',
      category: 'AmountOffOrder',
      method: 'Automatic',
      valueType: 'Percentage',
      value: 90,
      eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: [id] }],
    });
    await opened.shop.settle();
  });
  after(() => opened.close());
  beforeEach(async () => {
    email = `ada${++people}@staff.example`;
    thief = opened.customer();
    await thief.enter(email, mugId);
  });
  /** Who reads the mails of the address opens the last link. */
  const owner = async (): Promise<Customer> => {
    const token = (await opened.mails()).findLast(({ to }) => to === email)?.token;
    const customer = opened.customer();
    const confirmed = await customer.asks('/confirm-email', { email, token, newPassword: ownersPassword });
    expect(confirmed.status, confirmed.text).to.equal(200);
    return customer;
  };
  const discountOf = async (customer: Customer): Promise<number> =>
    (await customer.get('/api/shop/checkout/basket')).body.discount;

  it('has no segment of the address, and does once it is proven', async () => {
    await opened.shop.settle();
    await thief.add(mugId);
    expect(await discountOf(thief)).to.equal(0);
    const ada = await owner();
    expect((await ada.signIn(email, ownersPassword)).body.basket.discount).to.equal(18);
  });

  it('buys nothing on the account of its customer', async () => {
    const customerId = await customerNamed(opened.shop, email);
    await giveTerms(opened.shop, customerId, { hasAccountTerms: true, paymentTermsDays: 30 });
    const terms = { providerAlias: 'purchaseorder', methodAlias: 'purchaseorder' };
    const order = async (customer: Customer): Promise<number> => {
      await customer.initialize();
      const form = { formData: { purchaseOrderNumber: 'PO 4711' } };
      return (await customer.ask(payByHand({ ...terms, ...form }))).status;
    };
    expect(await order(thief)).to.equal(400);
    await thief.prove(email);
    expect(await order(thief)).to.equal(200);
  });

  it('neither keeps a card nor sees one', async () => {
    expect((await thief.get('/api/shop/storefront/payment-methods')).status).to.equal(401);
  });

  it('sees nothing of what guests buy with the address, also after its owner has proven it', async () => {
    const guest = opened.customer();
    await guest.prepare(mugId, 1, email);
    const { invoiceId } = (await guest.pay()).body;
    const seen = (by: Customer) => by.get(`/api/shop/checkout/confirmation/${invoiceId}`);
    expect((await seen(thief)).status, 'before').to.equal(403);
    const ada = await owner();
    expect((await seen(thief)).status, 'the old session').to.equal(403);
    expect((await thief.signIn(email, goodPassword)).body.success, 'the old password').to.equal(false);
    await ada.signIn(email, ownersPassword);
    expect((await seen(ada)).status, 'the owner').to.equal(200);
  });
});

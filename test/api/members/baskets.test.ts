import { expect } from 'chai';
import { manage } from '#test/support/requests.ts';
import { goodPassword, openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';

const quantities = (basket: { lineItems: { sku: string; quantity: number; lineItemType: string }[] }) =>
  Object.fromEntries(
    basket.lineItems
      .filter(({ lineItemType }) => lineItemType === 'Product')
      .map(({ sku, quantity }) => [sku, quantity]),
  );

describe('The basket of a member', () => {
  let opened: MemberShop;
  let mugId: string;
  let teaId: string;
  let bookId: string;
  let people = 0;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10 });
    teaId = await opened.shop.sell('TEA', { price: 5 });
    bookId = await opened.shop.sell('BOOK', { price: 8, isDigital: true });
  });
  after(() => opened.close());

  let email: string;
  let ada: Customer;
  beforeEach(async () => {
    email = `ada${++people}@example.com`;
    ada = opened.customer();
    await ada.register(email, mugId);
  });
  const device = async (...goods: readonly string[]): Promise<Customer> => {
    const customer = opened.customer();
    for (const productId of goods) await customer.add(productId);
    return customer;
  };
  const make = async (path: string, given: object) => {
    const { status, body } = await opened.shop.admin.ask(manage.post(path, given));
    if (status !== 201) throw new Error(JSON.stringify(body));
    await opened.shop.settle();
    return body;
  };

  it('is there on every device on which they sign in', async () => {
    const phone = await device();
    const { body } = await phone.signIn(email);
    expect(quantities(body.basket)).to.deep.equal({ MUG: 1 });
    expect(phone.basketId).to.equal(ada.basketId);
  });

  it('takes in what they had chosen before they signed in, and the cookie leads to it', async () => {
    const phone = await device(mugId, teaId);
    const before = phone.cookies.get('shop_basket') ?? '';
    const { body } = await phone.signIn(email);
    expect(quantities(body.basket)).to.deep.equal({ MUG: 2, TEA: 1 });
    expect(phone.basketId).to.equal(ada.basketId);
    await opened.shop.settle();
    expect(quantities((await ada.basket()).body)).to.deep.equal({ MUG: 2, TEA: 1 });
    phone.cookies.set('shop_basket', before);
    expect((await phone.basket()).body.isEmpty, 'the other one has ended').to.equal(true);
  });

  it('takes it in once, however often the same sign-in is sent', async () => {
    const phone = await device(teaId);
    const again = opened.customer();
    for (const [name, value] of phone.cookies) again.cookies.set(name, value);
    const answers = await Promise.all([phone.signIn(email), again.signIn(email)]);
    expect(answers.map(({ body }) => body.success)).to.deep.equal([true, true]);
    await opened.shop.settle();
    expect(quantities((await ada.basket()).body)).to.deep.equal({ MUG: 1, TEA: 1 });
  });

  it('says what had no room', async () => {
    await opened.shop.admin.put('/backoffice/api/v1/settings', { maxLineQuantity: 3 });
    const phone = await device(mugId, mugId, mugId);
    const { body } = await phone.signIn(email);
    await opened.shop.admin.put('/backoffice/api/v1/settings', { maxLineQuantity: null });
    expect(quantities(body.basket)).to.deep.equal({ MUG: 3 });
    expect(body.warnings).to.deep.equal(['Product MUG: a line holds at most 3 of one product.']);
    expect(body.basket.warnings).to.deep.equal(body.warnings);
  });

  it('stays theirs after a sign-out', async () => {
    await ada.signOut();
    expect((await ada.basket()).body.isEmpty).to.equal(true);
    expect(quantities((await ada.signIn(email)).body.basket)).to.deep.equal({ MUG: 1 });
  });

  it('is not taken over by somebody else on the same device', async () => {
    const bea = await device();
    await bea.register(`bea${people}@example.com`, teaId);
    bea.cookies.set('shop_basket', ada.cookies.get('shop_basket') ?? '');
    const { body } = await bea.signIn(`bea${people}@example.com`);
    expect(quantities(body.basket)).to.deep.equal({ TEA: 1 });
    expect(quantities((await ada.basket()).body)).to.deep.equal({ MUG: 1 });
  });

  describe('as somebody with the cookie that it had as a guest’s', () => {
    /** What a cookie alone leads to, on a device of its own. */
    const holding = (cookie: string): Customer => {
      const thief = opened.customer();
      thief.cookies.set('shop_basket', cookie);
      return thief;
    };
    let planted: string;
    let victim: Customer;
    beforeEach(async () => {
      victim = await device(mugId);
      planted = victim.cookies.get('shop_basket') ?? '';
    });

    it('meets it is nothing after a sign-in, by read or by change', async () => {
      await ada.signOut();
      await ada.signIn(email);
      await ada.post('/api/shop/storefront/basket/clear');
      expect(quantities((await victim.signIn(email)).body.basket)).to.deep.equal({ MUG: 1 });
      expect(victim.cookies.get('shop_basket'), 'a new credential').to.not.equal(planted);
      await victim.addresses({ email });
      const before = (await victim.basket()).body;
      for (const cookie of [planted, victim.cookies.get('shop_basket') ?? '']) {
        const thief = holding(cookie);
        expect((await thief.basket()).body.isEmpty, 'read').to.equal(true);
        expect((await thief.addresses({ email: 'mallory@example.com' })).status, 'addresses').to.equal(400);
        expect((await thief.get('/api/shop/checkout/shipping-groups')).body.success, 'shipping').to.not.equal(
          true,
        );
        expect((await thief.asks('/pay', { paymentProviderAlias: 'manual' })).status, 'pay').to.equal(400);
        await thief.post('/api/shop/storefront/basket/clear');
        expect(quantities((await holding(cookie).add(teaId)).body), 'adds').to.deep.equal({ TEA: 1 });
      }
      await opened.shop.settle();
      expect((await victim.basket()).body, 'nothing has changed').to.deep.equal(before);
    });

    it('meets it is nothing after an account was made at the checkout, and the owner goes on', async () => {
      await victim.addresses({ email: `eve${people}@example.com`, password: goodPassword });
      expect(victim.cookies.get('shop_basket'), 'a new credential').to.not.equal(planted);
      // Another device names no position: until the view has followed, it shows the guest's basket of a moment ago.
      await opened.shop.settle();
      expect((await holding(planted).basket()).body.isEmpty).to.equal(true);
      expect(quantities((await victim.add(teaId)).body)).to.deep.equal({ MUG: 1, TEA: 1 });
    });

    it('finds another member’s closed when signed in themselves', async () => {
      await victim.addresses({ email: `eve${people}@example.com`, password: goodPassword });
      await opened.shop.settle();
      ada.cookies.set('shop_basket', planted);
      expect((await ada.basket()).body.isEmpty, 'read').to.equal(true);
      expect(quantities((await ada.add(teaId)).body), 'add').to.deep.equal({ TEA: 1 });
      expect(quantities((await victim.basket()).body)).to.deep.equal({ MUG: 1 });
    });
  });

  it('has the price of their segment from the sign-in to the sign-out, as a guest’s never has', async () => {
    await opened.shop.settle();
    const { body: found } = await opened.shop.admin.ask(manage.get(`/customers?search=${email}`));
    const [customer] = found.items;
    expect(customer.memberKey, 'linked, as the account made the customer').to.be.a('string');
    const segment = await make('/customer-segments', { name: `VIP ${people}`, segmentType: 'Manual' });
    await opened.shop.admin.ask(
      manage.post(`/customer-segments/${segment.id}/members`, { customerIds: [customer.id] }),
    );
    await make('/discounts', {
      name: `VIP ${people}`,
      category: 'AmountOffOrder',
      method: 'Automatic',
      valueType: 'Percentage',
      value: 50,
      eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: [segment.id] }],
    });
    const guest = await device(mugId);
    expect((await guest.addresses({ email })).body.basket.discount, 'a guest').to.equal(0);
    expect((await guest.signIn(email)).body.basket.discount, 'signed in').to.equal(10);
    await guest.asks('/initialize', { countryCode: 'GB' });
    guest.cookies.delete('shop_member');
    const { body: alone } = await guest.add(mugId);
    expect([alone.discount, quantities(alone)], 'the token has ended').to.deep.equal([0, { MUG: 1 }]);
    const phone = await device();
    await phone.signIn(email);
    await phone.post('/api/shop/storefront/basket/clear');
    expect((await phone.add(mugId)).body.discount, 'a new basket').to.equal(5);
  });

  it('names its customer from its first line on, as receivers of basket.created are told', async () => {
    const { body: found } = await opened.shop.admin.ask(manage.get(`/customers?search=${email}`));
    await ada.post('/api/shop/storefront/basket/clear');
    const firstOf = async (shopper: Customer) => {
      const { id } = (await shopper.add(mugId)).body;
      const { body } = await opened.shop.admin.ask(manage.get(`/audit/events?stream=basket-${id}`));
      expect(body.events[1].type).to.equal('BasketLineAdded');
      return body.events[1].data;
    };
    expect(await firstOf(ada)).to.include({ startedFor: found.items[0].id });
    expect(await firstOf(opened.customer())).not.to.have.property('startedFor');
  });

  it('loses at the sign-in what they have used up, and a new one never gets it', async () => {
    const id = (
      await make('/discounts', {
        name: `Once ${people}`,
        category: 'AmountOffProducts',
        method: 'Automatic',
        valueType: 'Percentage',
        value: 50,
        perCustomerUsageLimit: 1,
        targetRules: [{ targetType: 'SpecificProducts', targetIds: [bookId] }],
      })
    ).id;
    const first = await device();
    await first.signIn(email);
    expect((await first.add(bookId)).body.discount, 'the first time').to.equal(4);
    await first.initialize();
    await first.payWith((await first.pay()).body.invoiceId);

    const phone = await device(bookId);
    expect((await phone.basket()).body.discount, 'a guest').to.equal(4);
    const { body } = await phone.signIn(email);
    expect(body.basket.discount, 'signed in').to.equal(0);
    expect(body.warnings).to.deep.equal(['You have used this discount as often as it allows.']);
    await phone.post('/api/shop/storefront/basket/clear');
    expect((await phone.add(bookId)).body.discount, 'a new basket').to.equal(0);
    await opened.shop.admin.ask(manage.post(`/discounts/${id}/deactivate`));
  });

  it('with a digital product is paid, and the invoice is the member’s on every device', async () => {
    await ada.add(bookId);
    await ada.initialize();
    const placed = await ada.pay();
    expect(placed.status, placed.text).to.equal(200);
    const phone = await device();
    await phone.signIn(email);
    const stranger = await device();
    expect((await stranger.payWith(placed.body.invoiceId)).status).to.equal(403);
    const paid = await phone.payWith(placed.body.invoiceId);
    expect([paid.status, paid.body.success]).to.deep.equal([200, true]);
  });

  it('made of digital products alone is sold to somebody who makes an account on the way', async () => {
    const buyer = await device(bookId);
    expect((await buyer.initialize()).body.requiresAccount).to.equal(true);
    const given = await buyer.addresses({ email: `buyer${people}@example.com`, password: goodPassword });
    expect(given.status, given.text).to.equal(200);
    const placed = await buyer.pay();
    expect(placed.status, placed.text).to.equal(200);
    expect((await buyer.payWith(placed.body.invoiceId)).body.success).to.equal(true);
  });
});

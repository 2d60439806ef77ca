import { expect } from 'chai';
import { manage } from '#test/support/requests.ts';
import { goodPassword, openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';

const unusable = {
  success: false,
  code: 'invalid-address',
  message: 'Some fields need your attention.',
  errors: { password: 'This password cannot be used for this e-mail address.' },
};

describe('An account made at the checkout', () => {
  let opened: MemberShop;
  let mugId: string;
  let people = 0;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10 });
  });
  after(() => opened.close());

  let ada: Customer;
  let email: string;
  beforeEach(async () => {
    email = `ada${++people}@example.com`;
    ada = opened.customer();
    ada.from = `198.51.100.${people}`;
    await ada.add(mugId);
  });

  it('signs in at once', async () => {
    const { status, body } = await ada.addresses({ email, password: goodPassword });
    expect(status).to.equal(200);
    expect(body.basket.itemCount).to.equal(1);
    expect(ada.cookies.get('shop_member')).to.equal(body.token);
    expect(Date.parse(body.expiresUtc)).to.be.greaterThan(Date.now());
    expect((await opened.customer().signIn(email)).body.success).to.equal(true);
  });

  it('is not made without a password, and the answer has no token', async () => {
    const { status, body } = await ada.addresses({ email });
    expect(status).to.equal(200);
    expect(body).not.to.have.any.keys('token', 'expiresUtc');
    expect((await ada.addresses({ email, password: '  ' })).body).not.to.have.property('token');
    expect((await ada.signIn(email)).body.success).to.equal(false);
  });

  it('that there is already is entered with its password', async () => {
    await ada.addresses({ email, password: goodPassword });
    const again = opened.customer();
    await again.add(mugId);
    const { status, body } = await again.addresses({ email: email.toUpperCase(), password: goodPassword });
    expect(status).to.equal(200);
    expect(again.cookies.get('shop_member')).to.equal(body.token);
  });

  it('is refused alike for a wrong password and for one that is too weak', async () => {
    await opened.customer().register(email, mugId);
    const wrong = await ada.addresses({ email, password: 'the wrong password' });
    const weak = await ada.addresses({ email: `new.${email}`, password: 'weak' });
    for (const { status, body } of [wrong, weak]) {
      expect(status).to.equal(400);
      expect(body).to.deep.equal(unusable);
    }
    expect(ada.cookies.has('shop_member')).to.equal(false);
    expect((await ada.basket()).body.billingAddress, 'nothing is saved').to.equal(null);
  });

  it('counts a password that cannot be used towards the lock-out', async () => {
    await opened.customer().register(email, mugId);
    for (let failure = 0; failure < 5; failure++)
      await ada.addresses({ email, password: failure % 2 ? 'weak' : 'the wrong password' });
    expect((await ada.addresses({ email, password: goodPassword })).body).to.deep.equal(unusable);
    expect((await ada.signIn(email)).body.failedAttempts).to.equal(5);
  });

  it('is one, however many make it at the same moment', async () => {
    const others = [opened.customer(), opened.customer()];
    for (const other of others) await other.add(mugId);
    const answers = await Promise.all(
      others.map((other) => other.addresses({ email, password: goodPassword })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    const cookies = others.map((other) => other.cookies.get('shop_member'));
    expect(answers.map(({ body }) => body.token)).to.deep.equal(cookies);
    expect((await opened.customer().signIn(email)).body.success).to.equal(true);
  });

  it('lets only the right password in where two make it at the same moment', async () => {
    const passwords = [goodPassword, `${goodPassword} of somebody else`];
    const answers = await Promise.all(
      passwords.map(async (password) => {
        const other = opened.customer();
        await other.add(mugId);
        return other.addresses({ email, password });
      }),
    );
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).to.deep.equal(unusable);
  });

  it('gives its e-mail address to every address that its member saves', async () => {
    await ada.addresses({ email, password: goodPassword });
    await ada.addresses({ email: 'somebody.else@example.com' });
    await ada.initialize();
    const { body } = await ada.pay();
    await opened.shop.settle();
    const invoice = await opened.shop.admin.get(`/backoffice/api/v1/orders/${body.invoiceId}`);
    expect(JSON.stringify(invoice.body)).to.contain(email).and.not.to.contain('somebody.else');
  });

  it('is asked to prove its address, which takes a password', async () => {
    await ada.addresses({ email, password: goodPassword });
    const mail = (await opened.mails()).find(({ to }) => to === email);
    expect(mail?.link.pathname).to.equal('/checkout/confirm-email');
    const token = mail?.token ?? '';
    const refused = async (body: object): Promise<string> => {
      const answer = await ada.asks('/confirm-email', { email, token, ...body });
      expect(answer.status).to.equal(400);
      return JSON.stringify(answer.body);
    };
    expect(await refused({})).to.contain('newPassword');
    expect(await refused({ newPassword: 'short' })).to.contain('at least 10 characters');
    expect(await refused({ newPassword: goodPassword, token: 'wrong' })).to.contain('no longer valid');
    const confirmed = await ada.asks('/confirm-email', { email, token, newPassword: goodPassword });
    expect([confirmed.status, confirmed.body]).to.deep.equal([200, { success: true, message: '' }]);
    expect(await refused({ newPassword: goodPassword })).to.contain('no longer valid');
  });
});

describe('The account of a customer who is deleted', () => {
  let opened: MemberShop;
  let bookId: string;
  before(async () => {
    opened = await openMemberShop();
    bookId = await opened.shop.sell('BOOK', { price: 10, isDigital: true });
  });
  after(() => opened.close());

  let email: string;
  let people = 0;
  let ada: Customer;
  beforeEach(async () => {
    email = `ada${++people}@example.com`;
    ada = opened.customer();
    await ada.register(email, bookId);
    await opened.shop.settle();
  });

  const customerId = async (): Promise<string> => {
    const { body } = await opened.shop.admin.ask(manage.get(`/customers?search=${email}`));
    return body.items[0].id;
  };
  const remove = async (id: string) =>
    (await opened.shop.admin.ask(manage.delete(`/customers/${id}`))).status;
  const isGone = async (): Promise<void> => {
    // The basket was the account’s.
    await ada.add(bookId);
    expect((await ada.addresses({ email })).body.errors, 'a guest').to.have.key('password');
    const [theirs, nobodys] = [await ada.signIn(email), await ada.signIn(`nobody.${email}`)];
    expect(theirs.body.success).to.equal(false);
    expect(theirs.body).to.deep.equal(nobodys.body);
  };

  it('goes too: its token is refused, and its address is one that nobody has', async () => {
    await ada.asks('/forgot-password', { email });
    const mail = (await opened.mails()).findLast(({ to }) => to === email);
    const link = { email, token: mail?.token ?? '' };
    expect((await ada.asks('/validate-reset-token', link)).body.isValid).to.equal(true);
    expect(await remove(await customerId())).to.equal(204);
    await isGone();
    await opened.customer().register(email, bookId);
    expect((await ada.asks('/validate-reset-token', link)).body.isValid).to.equal(false);
  });

  it('stays where staff have named it for a customer whose it is not', async () => {
    const { body: found } = await opened.shop.admin.ask(manage.get(`/customers/${await customerId()}`));
    const other = { email: 'other@example.com', memberKey: found.memberKey };
    const { body: made } = await opened.shop.admin.ask(manage.post('/customers', other));
    expect(await remove(made.id)).to.equal(204);
    expect((await opened.customer().signIn(email)).body.success).to.equal(true);
  });
});

describe('A digital product', () => {
  let opened: MemberShop;
  let bookId: string;
  before(async () => {
    opened = await openMemberShop();
    bookId = await opened.shop.sell('BOOK', { price: 10, isDigital: true });
  });
  after(() => opened.close());

  it('is not sold to a guest: the checkout says so, and asks for a password', async () => {
    const guest = opened.customer();
    await guest.add(bookId);
    const begun = await guest.initialize();
    expect([begun.status, begun.body.requiresAccount]).to.deep.equal([200, true]);
    const refused = await guest.addresses({ email: 'guest@example.com' });
    expect(refused.status).to.equal(400);
    expect(refused.body.errors).to.deep.equal({
      password: 'Digital products are sold to account holders only: choose a password, or sign in.',
    });
  });
});

import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import { goodPassword, openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';

const email = 'ada@example.com';
const neutral = {
  success: false,
  code: 'sign-in-failed',
  message: 'E-mail address or password is wrong.',
  errorMessage: 'E-mail address or password is wrong.',
};

describe('Signing in to the shop', () => {
  let opened: MemberShop;
  let mugId: string;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10 });
    await opened.customer().register(email, mugId);
  });
  after(() => opened.close());

  let ada: Customer;
  let sites = 1;
  beforeEach(() => {
    ada = opened.customer();
    ada.from = `198.51.100.${sites++}`;
  });

  it('hands out the token of the cookie, which names nobody, for a day', async () => {
    const { status, body } = await ada.signIn(' Ada@Example.com ');
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      success: true,
      message: '',
      errorMessage: null,
      failedAttempts: 0,
      showForgotPassword: false,
      warnings: [],
    });
    expect(body.basket.isEmpty).to.equal(false);
    expect(ada.cookies.get('shop_member')).to.equal(body.token);
    const claims = jsonwebtoken.decode(body.token, { json: true });
    expect(JSON.stringify(claims)).not.to.contain('example');
    expect((claims?.exp ?? 0) - (claims?.iat ?? 0)).to.equal(24 * 3600);
    expect(Date.parse(body.expiresUtc)).to.equal((claims?.exp ?? 0) * 1000);
  });

  it('sets a cookie that scripts cannot read, for as long as the browser is open', async () => {
    const [cookie = ''] = (await ada.signIn(email)).headers
      .getSetCookie()
      .filter((line) => line.startsWith('shop_member'));
    expect(cookie)
      .to.match(/; HttpOnly; SameSite=Lax$/)
      .and.not.to.contain('Max-Age');
  });

  it('fails alike for a wrong password and for an address that nobody has', async () => {
    const answers = [await ada.signIn(email, 'wrong password'), await ada.signIn('nobody@example.com')];
    for (const { status, body } of answers) {
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ ...neutral, failedAttempts: 1, showForgotPassword: false });
    }
    expect(ada.cookies.has('shop_member')).to.equal(false);
  });

  for (const who of [email, 'nobody@example.com']) {
    it(`offers a new password from the third failure, and none but later after the fifth: ${who}`, async () => {
      const failures = [];
      for (let failure = 0; failure < 6; failure++)
        failures.push((await ada.signIn(who, 'wrong password')).body);
      expect(failures.map(({ failedAttempts }) => failedAttempts)).to.deep.equal([1, 2, 3, 4, 5, 5]);
      expect(failures.map(({ showForgotPassword }) => showForgotPassword)).to.deep.equal([
        false,
        false,
        true,
        true,
        true,
        true,
      ]);
      expect(failures.at(-1)?.message).to.equal(
        'Too many failed attempts. Try again in 5 minutes, or ask for a new password.',
      );
      expect((await ada.signIn(email)).body.success, 'the right one').to.equal(who !== email);
    });
  }

  it('is refused with 400 where a field is missing', async () => {
    for (const body of [{ email }, { password: goodPassword }, { email: 1, password: goodPassword }])
      expect((await ada.asks('/sign-in', body)).status).to.equal(400);
  });

  it('ends with a sign-out, which drops both cookies', async () => {
    await ada.signIn(email);
    await ada.add(mugId);
    expect((await ada.signOut()).body).to.deep.equal({ success: true, message: '' });
    expect([...ada.cookies.keys()].filter((name) => /member|basket/.test(name))).to.deep.equal([]);
  });
});

describe('A password', () => {
  let opened: MemberShop;
  before(async () => {
    opened = await openMemberShop();
  });
  after(() => opened.close());

  it('can be tried before an account is made', async () => {
    const check = async (password?: string) =>
      (await opened.customer().asks('/validate-password', { password })).body;
    expect(await check(goodPassword)).to.deep.equal({ isValid: true, errors: [] });
    expect(await check('short')).to.deep.equal({ isValid: false, errors: ['Use at least 10 characters.'] });
    expect(await check('')).to.deep.equal({ isValid: false, errors: ['Enter a password.'] });
    expect((await check()).isValid).to.equal(false);
  });

  it('is checked by the rules of the store', async () => {
    await opened.shop.admin.put('/backoffice/api/v1/settings', {
      password: { minLength: 4, requireDigit: true },
    });
    const { body } = await opened.customer().asks('/validate-password', { password: 'four' });
    expect(body).to.deep.equal({ isValid: false, errors: ['Use at least one digit.'] });
  });

  it('is nobody’s, as far as anybody is told', async () => {
    for (const body of [{ email: 'ada@example.com' }, { email: 7 }, {}, undefined])
      expect((await opened.customer().asks('/check-email', body)).body).to.deep.equal({
        hasExistingAccount: false,
        exists: false,
      });
  });
});

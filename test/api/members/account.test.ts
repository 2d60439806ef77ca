import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import { goodPassword, openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';
import { manage } from '#test/support/requests.ts';

const betterPassword = 'a battery of correct horses';

/** docs/rules/account.md */
describe('An account', () => {
  let opened: MemberShop;
  let mugId: string;
  let people = 0;
  let ada: Customer;
  let email: string;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10 });
  });
  after(() => opened.close());

  const stranger = (): Customer => {
    const customer = opened.customer();
    customer.from = `198.51.100.${++people}`;
    return customer;
  };
  beforeEach(() => {
    ada = stranger();
    email = `ada${people}@example.com`;
  });
  const registration = (changes: object = {}) => ({
    ...{ email, password: goodPassword, name: 'Ada Lovelace' },
    ...changes,
  });
  const mailTo = async (to: string) => (await opened.mails()).findLast((mail) => mail.to === to);
  const isSignedIn = async (customer: Customer): Promise<boolean> =>
    (await customer.account('GET', '')).status === 200;
  const customerNamed = async (named: string) =>
    (await opened.shop.admin.ask(manage.get(`/customers?search=${named}`))).body.items[0];
  const isWrongLink = ({ status, body }: ApiResponse): void => {
    expect(status).to.equal(400);
    expect(body.message).to.equal('This link is no longer valid. Request a new one.');
  };

  describe('that is registered', () => {
    it('can be signed in to, and has its address to prove', async () => {
      const { status, body } = await ada.account('POST', '/register', registration({ phone: '01482 1234' }));
      expect([status, body]).to.deep.equal([
        200,
        { success: true, message: 'A mail is on its way to this e-mail address.' },
      ]);
      expect(ada.cookies.has('shop_member')).to.equal(false);
      await ada.signIn(email);
      const shown = (await ada.account('GET', '')).body;
      expect(shown).to.deep.include({
        ...{ email, isEmailConfirmed: false, name: 'Ada Lovelace', firstName: 'Ada', lastName: 'Lovelace' },
        ...{ phone: '01482 1234', acceptsMarketing: false },
      });
      const mail = await mailTo(email);
      expect(mail?.link.pathname).to.equal('/checkout/confirm-email');
      const proof = { email, token: mail?.token, newPassword: betterPassword };
      expect((await ada.asks('/confirm-email', proof)).status).to.equal(200);
      expect((await ada.account('GET', '')).body.isEmailConfirmed).to.equal(true);
    });

    it('is answered alike where the address has one, which stays as it is; its owner is told', async () => {
      await ada.signUp(email);
      const again = registration({ email: email.toUpperCase(), password: betterPassword, name: 'Eve' });
      const known = await stranger().account('POST', '/register', again);
      const unknown = await stranger().account('POST', '/register', registration({ email: `new.${email}` }));
      expect([known.status, known.body]).to.deep.equal([unknown.status, unknown.body]);
      expect((await opened.customer().signIn(email, betterPassword)).body.success).to.equal(false);
      expect((await ada.account('GET', '')).body.name).to.equal('Ada Lovelace');
      const mail = await mailTo(email);
      expect(mail?.link.pathname).to.equal('/checkout/reset-password');
      const reset = { email, token: mail?.token, newPassword: betterPassword };
      expect((await ada.asks('/reset-password', reset)).status).to.equal(200);
    });

    it('names by field what is wrong, alike for known and unknown addresses', async () => {
      await ada.signUp(email);
      const answers = await Promise.all(
        [email, `new.${email}`].map((to) =>
          stranger().account('POST', '/register', registration({ email: to, password: 'short' })),
        ),
      );
      for (const { status, body } of answers) {
        expect(status).to.equal(400);
        expect(body.errors).to.deep.equal({ password: 'Use at least 10 characters.' });
      }
      const { body } = await ada.account('POST', '/register', registration({ email: 'nowhere' }));
      expect(body.errors).to.deep.equal({ email: 'This is not an e-mail address.' });
      expect((await ada.account('POST', '/register', registration({ name: ' ' }))).status).to.equal(400);
    });

    it('is refused after five mails in a quarter of an hour from one address', async () => {
      const answers: ApiResponse[] = [];
      for (let time = 0; time < 6; time++)
        answers.push(await ada.account('POST', '/register', registration({ email: `${time}.${email}` })));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 429]);
      expect(Number(answers[5]?.headers.get('retry-after'))).to.be.within(1, 900);
    });

    it('is nobody’s before it is signed in to', async () => {
      for (const [method, path] of [
        ['GET', ''],
        ['PUT', ''],
        ['PUT', '/password'],
        ['POST', '/confirm-email'],
        ['GET', '/orders'],
      ] as const)
        expect((await ada.account(method, path, method === 'GET' ? undefined : {})).status).to.equal(401);
    });
  });

  describe('that is changed', () => {
    it('keeps what is not said, and tells the customer once the address is proven', async () => {
      await ada.signUp(email);
      const changed = await ada.account('PUT', '', { phone: '+44 1482 1234', acceptsMarketing: true });
      expect(changed.body).to.include({
        name: 'Ada Lovelace',
        phone: '+44 1482 1234',
        acceptsMarketing: true,
      });
      await ada.prove(email);
      await opened.shop.settle();
      expect(await customerNamed(email)).to.include({ firstName: 'Ada', acceptsMarketing: true });
      await ada.account('PUT', '', { name: 'Augusta Ada King', phone: '', acceptsMarketing: false });
      await opened.shop.settle();
      const named = { firstName: 'Augusta', lastName: 'Ada King', acceptsMarketing: false };
      expect(await customerNamed(email)).to.include(named);
      expect((await ada.account('GET', '')).body).to.include({ ...named, phone: null });
      const { id } = await customerNamed(email);
      const byStaff = { firstName: 'Mary Ann', lastName: 'King', acceptsMarketing: true };
      expect((await opened.shop.admin.ask(manage.put(`/customers/${id}`, byStaff))).status).to.equal(200);
      const shown = (await ada.account('GET', '')).body;
      expect(shown, 'what staff change').to.include({ ...byStaff, name: 'Mary Ann King' });
      const sentBack = (await ada.account('PUT', '', { name: shown.name, acceptsMarketing: false })).body;
      expect(sentBack).to.include({ ...byStaff, acceptsMarketing: false });
    });

    it('is refused what is no name, number or address', async () => {
      await ada.signUp(email);
      for (const [field, value] of [
        ['name', ''],
        ['phone', 'call me'],
        ['email', 'nowhere'],
      ] as const) {
        const { status, body } = await ada.account('PUT', '', { [field]: value });
        expect(status, field).to.equal(400);
        expect(body.errors, field).to.have.all.keys(field);
      }
    });
  });

  describe('that is to have another e-mail address', () => {
    let newEmail: string;
    beforeEach(async () => {
      newEmail = `king.${email}`;
      await ada.signUp(email);
      await ada.prove(email);
    });
    const askFor = (wanted: string, by = ada, currentPassword: string | undefined = goodPassword) =>
      by.account('PUT', '', { email: wanted, currentPassword });
    const confirm = (wanted: string, token: string | undefined, by = ada) =>
      by.account('POST', '/confirm-email', { email: wanted, token });

    it('keeps the old one until a mailed link has proven the new one, and takes its customer along', async () => {
      const { id } = await opened.shop.settle().then(() => customerNamed(email));
      const asked = await askFor(newEmail.toUpperCase());
      expect(asked.body.email).to.equal(email);
      expect(asked.body.message).to.contain('on its way');
      expect((await opened.customer().signIn(newEmail)).body.success).to.equal(false);
      const mail = await mailTo(newEmail);
      expect(mail?.link.pathname).to.equal('/account/confirm-email');
      expect((await confirm(newEmail, mail?.token)).body).to.deep.equal({ success: true, message: '' });
      const shown = (await ada.account('GET', '')).body;
      expect(shown).to.include({ email: newEmail, isEmailConfirmed: true });
      expect((await opened.customer().signIn(newEmail)).body.success).to.equal(true);
      expect((await opened.customer().signIn(email)).body.success).to.equal(false);
      await opened.shop.settle();
      expect((await customerNamed(newEmail)).id).to.equal(id);
      expect((await mailTo(email))?.subject).to.contain('another e-mail address');
      const again = await confirm(newEmail, mail?.token);
      isWrongLink(again);
    });

    it('is not moved by who has only found it signed in', async () => {
      const without = await ada.account('PUT', '', { email: newEmail });
      expect([without.status, without.body.errors]).to.deep.equal([
        400,
        { currentPassword: 'Enter your current password.' },
      ]);
      for (let failure = 0; failure < 5; failure++) {
        const { status, body } = await askFor(newEmail, ada, 'not my password');
        expect([status, body.errors]).to.deep.equal([
          400,
          { currentPassword: 'This is not your current password.' },
        ]);
      }
      const locked = await askFor(newEmail);
      expect(locked.status).to.equal(429);
      expect(Number(locked.headers.get('retry-after'))).to.be.within(1, 300);
      expect(await mailTo(newEmail)).to.equal(undefined);
    });

    it('frees the old one', async () => {
      await askFor(newEmail);
      await confirm(newEmail, (await mailTo(newEmail))?.token);
      const other = stranger();
      await other.signUp(email);
      await other.prove(email);
      expect((await other.account('GET', '')).body).to.include({ email, isEmailConfirmed: true });
    });

    it('is answered alike where somebody has it, who is told and need do nothing', async () => {
      const taken = `taken.${email}`;
      await stranger().signUp(taken);
      const [one, other] = [await askFor(taken), await askFor(newEmail)];
      expect([one.status, one.body]).to.deep.equal([other.status, other.body]);
      const mail = await mailTo(taken);
      expect(mail?.text).to.contain('was to have your e-mail address').and.not.to.contain('http');
    });

    it('is answered alike where a customer has it without an account', async () => {
      const guest = stranger();
      const known = `guest.${email}`;
      await guest.add(mugId);
      await guest.addresses({ email: known });
      expect((await askFor(known)).status).to.equal(200);
      expect((await mailTo(known))?.text).not.to.contain('http');
    });

    it('does not get it where somebody else was quicker', async () => {
      await askFor(newEmail);
      const token = (await mailTo(newEmail))?.token;
      await stranger().signUp(newEmail);
      const late = await confirm(newEmail, token);
      isWrongLink(late);
      expect((await ada.account('GET', '')).body.email).to.equal(email);
    });

    it('stays as it is where a guest with it was quicker', async () => {
      await askFor(newEmail);
      const token = (await mailTo(newEmail))?.token;
      const guest = stranger();
      await guest.add(mugId);
      await guest.addresses({ email: newEmail });
      const late = await confirm(newEmail, token);
      isWrongLink(late);
      expect((await ada.account('GET', '')).body.email).to.equal(email);
      expect((await opened.customer().signIn(email)).body.success).to.equal(true);
    });

    it('does not get it by the link of another account, for another address, or by one of another kind', async () => {
      await askFor(newEmail);
      const token = (await mailTo(newEmail))?.token;
      const eve = stranger();
      await eve.signUp(`eve.${email}`);
      expect((await confirm(newEmail, token, eve)).status).to.equal(400);
      expect((await confirm(`other.${email}`, token)).status).to.equal(400);
      const reset = { email, token, newPassword: betterPassword };
      expect((await ada.asks('/reset-password', reset)).status, 'a reset').to.equal(400);
      await ada.asks('/forgot-password', { email });
      const mailed = (await mailTo(email))?.token;
      expect((await confirm(newEmail, mailed)).status, 'a link of a reset').to.equal(400);
      expect((await confirm(newEmail, token)).status).to.equal(200);
    });

    it('makes links useless that were mailed to the old one', async () => {
      await ada.asks('/forgot-password', { email });
      const old = (await mailTo(email))?.token;
      await askFor(newEmail);
      await confirm(newEmail, (await mailTo(newEmail))?.token);
      for (const to of [email, newEmail]) {
        const reset = { email: to, token: old, newPassword: betterPassword };
        expect((await ada.asks('/reset-password', reset)).status).to.equal(400);
      }
    });

    it('is confirmed once by two clicks at the same moment', async () => {
      await askFor(newEmail);
      const token = (await mailTo(newEmail))?.token;
      const answers = await Promise.all([confirm(newEmail, token), confirm(newEmail, token)]);
      expect(answers.some(({ status }) => status === 200)).to.equal(true);
      expect((await ada.account('GET', '')).body.email).to.equal(newEmail);
      await opened.shop.settle();
      const moved = (await opened.mails()).filter(
        (mail) => mail.to === email && mail.subject.includes('another'),
      );
      expect(moved).to.have.length(1);
    });
  });

  describe('whose password is changed', () => {
    beforeEach(() => ada.signUp(email));
    const change = (currentPassword: string, newPassword: string, by = ada) =>
      by.account('PUT', '/password', { currentPassword, newPassword });

    it('ends every other sign-in, and goes on with a new token', async () => {
      const elsewhere = stranger();
      await elsewhere.signIn(email);
      const { status, body } = await change(goodPassword, betterPassword);
      expect(status).to.equal(200);
      expect(ada.cookies.get('shop_member')).to.equal(body.token);
      expect([await isSignedIn(ada), await isSignedIn(elsewhere)]).to.deep.equal([true, false]);
      expect((await stranger().signIn(email)).body.success, 'the old password').to.equal(false);
      expect((await stranger().signIn(email, betterPassword)).body.success).to.equal(true);
    });

    it('is asked for the one that it has, and for another one than that', async () => {
      expect((await change('not my password', betterPassword)).body.errors).to.deep.equal({
        currentPassword: 'This is not your current password.',
      });
      const same = await change(goodPassword, goodPassword);
      expect([same.status, Object.keys(same.body.errors)]).to.deep.equal([400, ['newPassword']]);
      expect((await change(goodPassword, 'short')).body.errors).to.deep.equal({
        newPassword: 'Use at least 10 characters.',
      });
      expect((await stranger().signIn(email)).body.success).to.equal(true);
    });

    it('is locked by five wrong ones like a sign-in, and tells no more then', async () => {
      for (let failure = 0; failure < 5; failure++) await change('not my password', betterPassword);
      const locked = await change(goodPassword, betterPassword);
      expect(locked.status).to.equal(429);
      expect(Number(locked.headers.get('retry-after'))).to.be.within(1, 300);
      expect((await ada.signIn(email)).body.success, 'a sign-in, too').to.equal(false);
    });

    it('makes links useless that were mailed before', async () => {
      await ada.asks('/forgot-password', { email });
      const token = (await mailTo(email))?.token;
      await change(goodPassword, betterPassword);
      const reset = { email, token, newPassword: goodPassword };
      expect((await ada.asks('/reset-password', reset)).status).to.equal(400);
    });

    it('is changed once by two at the same moment', async () => {
      const other = stranger();
      other.from = ada.from;
      await other.signIn(email);
      const answers = await Promise.all([
        change(goodPassword, betterPassword),
        change(goodPassword, 'yet another good one', other),
      ]);
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      expect(answers.filter(({ status }) => [400, 401, 409].includes(status))).to.have.length(1);
    });
  });
});

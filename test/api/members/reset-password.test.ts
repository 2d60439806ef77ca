import { expect } from 'chai';
import { heard } from '#test/support/owners-hooks.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { goodPassword, openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';

const email = 'ada@example.com';
const newPassword = 'a new and better one';
const sent = {
  success: true,
  message: 'If there is an account with this e-mail address, a link is on its way to it.',
};
const badLink = 'This link is no longer valid. Request a new one.';

describe('A lost password', () => {
  let opened: MemberShop;
  let ada: Customer;
  let mugId: string;
  beforeEach(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10 });
    ada = opened.customer();
    await ada.register(email, mugId);
  });
  afterEach(() => opened.close());

  const resetMails = async () =>
    (await opened.mails()).filter(({ subject }) => subject.startsWith('A new password'));
  const askForLink = async (): Promise<string> => {
    await ada.asks('/forgot-password', { email });
    return (await resetMails()).at(-1)?.token ?? '';
  };
  const reset = (token: string, changes: object = {}) =>
    opened.customer().asks('/reset-password', { email, token, newPassword, ...changes });

  it('is replaced by the link of a mail, which is a file in DATA_DIR/mails', async () => {
    expect((await ada.asks('/forgot-password', { email })).body).to.deep.equal(sent);
    const [mail] = await resetMails();
    expect(mail).to.deep.include({ to: email, from: 'no-reply@localhost' });
    expect(mail?.link.href.split('?')[0]).to.equal(`${opened.shop.base}/checkout/reset-password`);
    expect(mail?.link.searchParams.get('email')).to.equal(email);
    const token = mail?.token ?? '';
    const valid = { isValid: true, email, errorMessage: null };
    expect((await ada.asks('/validate-reset-token', { email, token })).body).to.deep.equal(valid);
    expect((await reset(token)).body).to.deep.equal({
      success: true,
      message: '',
      errorMessage: null,
      validationErrors: [],
    });
    expect((await opened.customer().signIn(email, newPassword)).body.success).to.equal(true);
    expect((await opened.customer().signIn(email, goodPassword)).body.success).to.equal(false);
  });

  it('signs nobody in, ends every sign-in, and lifts the lock', async () => {
    const before = await ada.signIn(email);
    const token = await askForLink();
    for (let failure = 0; failure < 5; failure++) await ada.signIn(email, 'wrong password');
    const stranger = opened.customer();
    const answer = await stranger.asks('/reset-password', { email, token, newPassword });
    expect(answer.body).not.to.have.property('token');
    expect([...stranger.cookies.keys()].filter((name) => name !== 'shop_checkout_position')).to.deep.equal(
      [],
    );
    expect((await ada.signIn(email, newPassword)).body.success, 'not locked').to.equal(true);
    const { add } = opened.customer();
    await add(mugId);
    const old = opened.customer();
    old.cookies.set('shop_member', before.body.token);
    await old.add(mugId);
    expect((await old.addresses({ email: 'other@example.com' })).status).to.equal(200);
    expect((await old.basket()).body.email, 'the old token is nobody’s').to.not.equal(email);
  });

  it('is answered alike, and no mail goes out, for an address that nobody has', async () => {
    const mails = (await opened.mails()).length;
    expect((await ada.asks('/forgot-password', { email: 'nobody@example.com' })).body).to.deep.equal(sent);
    expect(await opened.mails()).to.have.length(mails);
  });

  it('is asked for five times in a quarter of an hour; more is passed over in silence', async () => {
    for (let mail = 0; mail < 6; mail++)
      expect((await ada.asks('/forgot-password', { email })).body).to.deep.equal(sent);
    expect(await resetMails()).to.have.length(5);
    ada.from = '203.0.113.2';
    await ada.asks('/forgot-password', { email });
    expect(await resetMails()).to.have.length(6);
  });

  it('leads to a page of the store only', async () => {
    const baseOf = async (resetBaseUrl: string) => {
      await ada.asks('/forgot-password', { email, resetBaseUrl });
      return (await resetMails()).at(-1)?.link.href.split('?')[0];
    };
    expect(await baseOf(`${opened.shop.base}/account/new-password?lang=en`)).to.equal(
      `${opened.shop.base}/account/new-password`,
    );
    expect(await baseOf('https://evil.example/reset')).to.equal(
      `${opened.shop.base}/checkout/reset-password`,
    );
  });

  it('is told to the owner’s handlers where there is an account, and grows the log alike where there is none', async () => {
    const HOOKS_FILE = new URL('../../support/owners-hooks.ts', import.meta.url).pathname;
    const told = await openMemberShop({ environment: { HOOKS_FILE } });
    const eve = told.customer();
    await eve.register(email, await told.shop.sell('MUG', { price: 10 }));
    await told.shop.settle();
    heard.length = 0;
    const before = (await eventsIn(told.shop)).length;
    for (const asked of [email, 'nobody@example.com']) await eve.asks('/forgot-password', { email: asked });
    const token = (await told.mails()).at(-1)?.token ?? '';
    const written = (await eventsIn(told.shop)).slice(before);
    await told.close();

    expect(written.map(({ type }) => type)).to.deep.equal([
      'PasswordResetRequested',
      'PasswordResetRequested',
    ]);
    const [notice] = heard;
    expect(heard).to.have.length(1);
    expect(notice).to.include({ notification: 'CustomerPasswordResetRequestedNotification' });
    expect(notice).to.have.keys(
      ...['notification', 'id', 'event', 'position', 'at', 'memberId', 'customerId'],
    );
    expect(notice?.['memberId']).to.be.a('string');
    expect(notice?.['customerId']).to.be.a('string');
    expect(token).to.have.length(43);
    for (const secret of [token, email]) expect(JSON.stringify([heard, written])).not.to.contain(secret);
  });

  describe('stays as it is when the link', () => {
    const rows: readonly (readonly [
      string,
      (token: string) => Promise<{ token?: string; email?: string }>,
    ])[] = [
      ['was altered', async (token) => ({ token: token.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')) })],
      ['is no link', async () => ({ token: 'no-token' })],
      [
        'was used',
        async (token) => {
          await reset(token, { newPassword: goodPassword });
          return {};
        },
      ],
      [
        'is an hour old',
        async () => {
          await opened.shop.tester.post('/testing/clock', { advanceSeconds: 3600 });
          return {};
        },
      ],
      [
        'is somebody else’s',
        async () => {
          await opened.customer().register('bea@example.com', mugId);
          return { email: 'bea@example.com' };
        },
      ],
      ['is for an address that nobody has', async () => ({ email: 'nobody@example.com' })],
    ];
    for (const [what, change] of rows) {
      it(what, async () => {
        const token = await askForLink();
        const changes = await change(token);
        const { status, body } = await reset(changes.token ?? token, changes);
        expect(status).to.equal(400);
        expect(body).to.deep.equal({
          success: false,
          code: 'invalid-request',
          message: badLink,
          errorMessage: badLink,
          validationErrors: [],
        });
        const asked = { email: changes.email ?? email, token: changes.token ?? token };
        expect((await ada.asks('/validate-reset-token', asked)).body).to.deep.equal({
          isValid: false,
          email: null,
          errorMessage: badLink,
        });
        expect((await opened.customer().signIn(email, newPassword)).body.success).to.equal(false);
      });
    }
  });

  it('is not replaced by one that is too weak, and the link still works', async () => {
    const token = await askForLink();
    const { status, body } = await reset(token, { newPassword: 'short' });
    expect(status).to.equal(400);
    expect(body).to.deep.include({ success: false, validationErrors: ['Use at least 10 characters.'] });
    expect((await reset(token)).status).to.equal(200);
  });

  it('is refused with 400 where a field is missing or empty', async () => {
    for (const missing of ['email', 'token', 'newPassword']) {
      expect((await reset('token', { [missing]: '' })).status, missing).to.equal(400);
      expect((await reset('token', { [missing]: undefined })).status, missing).to.equal(400);
    }
  });

  it('is changed by one of two who use the link at the same moment', async () => {
    const token = await askForLink();
    const answers = await Promise.all([reset(token), reset(token, { newPassword: 'another new one' })]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
  });
});

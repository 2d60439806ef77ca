import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Customer, goodPassword, mailsIn } from '#test/support/member-shop.ts';
import { MortalShop } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

/** docs/rules/account.md#register */
describe('a shop that is killed while an account is registered', () => {
  let dataDir: string;
  let shop: MortalShop;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tillroll-register-'));
    shop = await MortalShop.open({ DATA_DIR: dataDir, Storefront__trustedProxies: '1' });
  });
  afterEach(async () => {
    await shop.close();
    rmSync(dataDir, { recursive: true });
  });

  const email = 'ada@example.com';
  const registration = { email, password: goodPassword, name: 'Ada Lovelace' };
  for (const rowIn of ['members', 'memberLinks', 'mailDeliveries'])
    for (const when of ['before', 'after'] as const)
      it(`${when} it writes into ${rowIn}, mails a link that opens the account when that is tried again`, async () => {
        await shop.live({ when, rowIn });
        const ada = new Customer(shop.base);
        await shop.killedBy(ada.account('POST', '/register', registration));
        expect((await ada.account('POST', '/register', registration)).status).to.equal(200);
        await shop.settle();
        const token = mailsIn(dataDir).findLast(({ to }) => to === email)?.token;
        const opened = await ada.asks('/reset-password', { email, token, newPassword: goodPassword });
        expect(opened.status, opened.text).to.equal(200);
        expect((await ada.signIn(email)).body.success).to.equal(true);
        expect((await ada.account('GET', '')).body).to.include({ email, isEmailConfirmed: true });
      });
});

/** docs/rules/account.md#another-e-mail-address */
describe('a shop that is killed while a member moves to another e-mail address', () => {
  let dataDir: string;
  let shop: MortalShop;
  let ada: Customer;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tillroll-new-email-'));
    shop = await MortalShop.open({ DATA_DIR: dataDir, Storefront__trustedProxies: '1' });
    ada = new Customer(shop.base);
    await ada.signUp('ada@example.com');
    await ada.prove('ada@example.com');
    await ada.account('PUT', '', { email: 'king@example.com', currentPassword: goodPassword });
    await shop.settle();
  });
  afterEach(async () => {
    await shop.close();
    rmSync(dataDir, { recursive: true });
  });

  const confirm = () => {
    const token = mailsIn(dataDir).find(({ to }) => to === 'king@example.com')?.token;
    return ada.account('POST', '/confirm-email', { email: 'king@example.com', token });
  };
  const customers = async () => {
    const { body } = await shop.admin.ask(manage.get('/customers'));
    return (body.items as { email: string; memberKey: string }[]).map(({ email, memberKey }) => [
      email,
      memberKey,
    ]);
  };

  const deaths: readonly (readonly [string, Death])[] = [
    ['before the new address is claimed', { when: 'before', eventType: 'ValueClaimed' }],
    ['after the new address is claimed', { when: 'after', eventType: 'ValueClaimed' }],
    ['before the customer has it', { when: 'before', eventType: 'CustomerChanged' }],
    ['after the customer has it', { when: 'after', eventType: 'CustomerChanged' }],
    ['before the old address is given back', { when: 'before', eventType: 'ClaimReleased' }],
    ['after the old address is given back', { when: 'after', eventType: 'ClaimReleased' }],
  ];
  const hasMoved = async () => {
    const { body } = await ada.account('GET', '');
    expect(body).to.include({ email: 'king@example.com', isEmailConfirmed: true });
    await shop.settle();
    expect(await customers()).to.deep.equal([['king@example.com', body.id]]);
    const told = mailsIn(dataDir).filter(
      ({ to, subject }) => to === 'ada@example.com' && /another/.test(subject),
    );
    expect(told, 'the old address is told once').to.have.length(1);
    expect((await confirm()).status, 'the link is used up').to.equal(400);
    await shop.soundSales();
  };

  for (const [moment, death] of deaths) {
    it(`${moment}, does the rest when the link is opened again`, async () => {
      shop.dieNext(death);
      await shop.killedBy(confirm());
      const again = await confirm();
      expect(again.status, again.text).to.equal(200);
      await hasMoved();
    });

    it(`${moment}, does the rest by itself`, async () => {
      shop.dieNext(death);
      await shop.killedBy(confirm());
      const finish = async () => (await shop.tester.post('/testing/jobs/finish-email-changes')).body;
      expect(await finish(), 'a request that is under way is left alone').to.include({ finished: 0 });
      await shop.tester.post('/testing/clock', { advanceSeconds: 60 });
      expect(await finish()).to.include({ finished: 1 });
      expect(await finish()).to.include({ finished: 0 });
      await hasMoved();
    });
  }
});

import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { add, applyCode, giveAddresses, initialize, manage, pay, payThat } from '#test/support/requests.ts';
import { noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

/** docs/rules/customers.md#whose-e-mail-address */
describe('one e-mail address in many spellings', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 50 });
  });
  after(() => shop.close());
  const { when, make } = managing(() => shop);
  const spelled = (name: string) => [
    `${name.toUpperCase()}@münchen.example`,
    `${name}＠xn--mnchen-3ya.example`,
    `${name}@münchen.example.`,
  ];
  const spellings = spelled('ada');

  it('is one customer, and another one is refused', async () => {
    await make('/customers', { email: spellings[0] });
    for (const email of spellings)
      await when(manage.post('/customers', { email }))
        .then(409)
        .and(refusedFor('value-taken'))
        .and(noNewEvents());
    for (const email of spellings) await shop.given(add(mug)).when(giveAddresses({ email })).then(200);
    await shop.settle();
    const { body: found } = await when(manage.get('/customers')).then(200);
    expect(found.items.map(({ email }: { email: string }) => email)).to.deep.equal([
      'ada@xn--mnchen-3ya.example',
    ]);
  });

  it('uses a code for one use a customer once', async () => {
    await shop.rule('ONCE', { method: 'Code', code: 'ONCE', perCustomerUsageLimit: 1 });
    const [first, ...others] = spelled('ann');
    await shop
      .given(add(mug), giveAddresses({ email: first }), initialize(), applyCode('ONCE'), pay())
      .when(payThat())
      .then(200, { status: 'Completed' });
    await shop.settle();
    for (const email of others)
      await shop.given(add(mug), giveAddresses({ email }), initialize()).when(applyCode('ONCE')).then(400);
  });

  it('is none with what nobody sees in it', async () => {
    for (const email of ['a\u00ADda@example.com', 'ada@exam\u200Bple.com', 'ada\u0000@example.com']) {
      await when(manage.post('/customers', { email })).then(400).and(noNewEvents());
      await shop.given(add(mug)).when(giveAddresses({ email })).then(400).and(noNewEvents());
    }
  });
});

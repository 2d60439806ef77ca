import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { keyed, manage } from '#test/support/requests.ts';
import { body, events, exactly, noNewEvents } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';
import { idOf } from '#values/stream-name.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const problems = (...errors: readonly string[]) =>
  body((found) => expect(found.errors).to.deep.equal(errors));
const message = (part: string) => body((found) => expect(found.message).to.include(part));

describe('customers that staff keep', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);

  it('are created with nothing but an e-mail address, which is trimmed and in lower case', async () => {
    const created = await make('/customers', { email: '  Grace@Example.COM ' });
    expect(created).to.deep.include({
      email: 'grace@example.com',
      memberKey: null,
      firstName: null,
      lastName: null,
      isFlagged: false,
      acceptsMarketing: false,
      hasAccountTerms: false,
      paymentTermsDays: null,
      creditLimit: null,
      tags: [],
      addresses: [],
      orderCount: 0,
      totalSpend: 0,
      ...{ averageOrderValue: null, firstOrderDate: null, lastOrderDate: null, countryCode: null },
    });
    expect(created).to.include.keys('id', 'dateCreated', 'dateUpdated');
  });

  it('are created and changed with all fields', async () => {
    const home = { countryCode: 'gb', name: 'Alan', addressOne: '1 High Street', externalKey: 'home' };
    const alan = {
      email: 'alan@example.com',
      firstName: 'Alan',
      lastName: 'Turing',
      memberKey: 'member-1',
      acceptsMarketing: true,
      isFlagged: true,
      hasAccountTerms: true,
      paymentTermsDays: 30,
      creditLimit: 1500.5,
      tags: ['VIP', 'trade'],
    };
    const created = await make('/customers', { ...alan, tags: ['VIP', 'trade', 'vip'], addresses: [home] });
    expect(created).to.deep.include(alan);
    expect(created.addresses[0]).to.include({
      countryCode: 'GB',
      country: 'United Kingdom',
      externalKey: 'home',
    });
    const changes = { lastName: 'T.', tags: ['trade'], creditLimit: null, addresses: [] };
    await when(manage.put(`/customers/${created.id}`, changes))
      .then(200, { ...alan, lastName: 'T.', tags: ['trade'], addresses: [] })
      .and(events('CustomerChanged'));
    await when(manage.put(`/customers/${created.id}`, changes))
      .then(200)
      .and(noNewEvents());
    const clears = { clearMemberKey: true, clearPaymentTermsDays: true, clearCreditLimit: true };
    await when(manage.put(`/customers/${created.id}`, clears)).then(200, {
      memberKey: null,
      paymentTermsDays: null,
      creditLimit: null,
      hasAccountTerms: true,
    });
  });

  it('are refused with everything that is wrong, and nothing is written', async () => {
    const wrong = {
      email: 'nobody',
      paymentTermsDays: -1,
      creditLimit: 1.005,
      tags: [''],
      addresses: [{ countryCode: 'XX' }],
    };
    await when(manage.post('/customers', wrong))
      .then(400)
      .and(
        problems(
          'email: must be an e-mail address',
          'paymentTermsDays: must be 0 or more',
          'creditLimit: must be an amount with the decimals of the store currency',
          'tags.0: must not be empty',
          'addresses.0.countryCode: must be an ISO 3166-1 country code',
        ),
      )
      .and(noNewEvents());
    await when(manage.post('/customers', {})).then(400).and(noNewEvents());
    const { id } = await make('/customers', { email: 'both@example.com' });
    await when(manage.put(`/customers/${id}`, { clearCreditLimit: true, creditLimit: 5 }))
      .then(400)
      .and(problems('clearCreditLimit: either this or creditLimit must be given'))
      .and(noNewEvents());
    const twice = [1, 2].map(() => ({ countryCode: 'GB', externalKey: 'home' }));
    await when(manage.put(`/customers/${id}`, { addresses: twice }))
      .then(400)
      .and(problems('addresses: must name each externalKey once'));
  });

  it('who are not there cannot be changed or deleted', async () => {
    await when(manage.put(`/customers/${nobody}`, { isFlagged: true }))
      .then(404)
      .and(noNewEvents());
    await when(manage.delete(`/customers/${nobody}`))
      .then(404)
      .and(noNewEvents());
  });

  it('have an e-mail address to themselves, until they get another or are deleted', async () => {
    const first = await make('/customers', { email: 'one@example.com' });
    const second = await make('/customers', { email: 'two@example.com' });
    await when(manage.post('/customers', { email: 'ONE@example.com' }))
      .then(409)
      .and(message('email'))
      .and(noNewEvents());
    await when(manage.put(`/customers/${second.id}`, { email: 'one@example.com' }))
      .then(409)
      .and(message('email'))
      .and(noNewEvents());
    await when(manage.put(`/customers/${first.id}`, { email: 'uno@example.com' })).then(200, {
      email: 'uno@example.com',
    });
    await when(manage.put(`/customers/${second.id}`, { email: 'one@example.com' })).then(200);
    await when(manage.delete(`/customers/${second.id}`)).then(204);
    await make('/customers', { email: 'one@example.com' });
  });

  it('are created once under one idempotency key', async () => {
    const ask = keyed('create-kay', manage.post('/customers', { email: 'kay@example.com' }));
    const { body: created } = await when(ask).then(201);
    await when(ask).then(201).and(exactly(created)).and(noNewEvents());
  });

  /** The customer whom the last checkout has made known. */
  const newest = async (): Promise<string> => {
    await shop.settle();
    const recorded = await shop.shop.runtime.store.readAll(0);
    return idOf(recorded.findLast(({ type }) => type === 'CustomerRegistered')?.stream ?? '');
  };
  const stays = (id: string, why: string) =>
    when(manage.delete(`/customers/${id}`))
      .then(409)
      .and(message(why))
      .and(noNewEvents());

  it('who have an invoice cannot be deleted, paid or not', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(await shop.sell('mug', { price: 10, stock: 5 }));
    const { body: order } = await shopper.pay();
    const id = await newest();
    await stays(id, '1 invoice.');
    expect((await shopper.payWith(order.invoiceId)).status).to.equal(200);
    await stays(id, '1 invoice.');
  });

  it('cannot be deleted either when nobody paid in time', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(await shop.sell('jug', { price: 10, stock: 5 }), 1, 'late@example.com');
    await shopper.pay();
    const id = await newest();
    await shop.tester.post('/testing/clock', { advanceSeconds: 61 * 60 });
    expect((await shop.tester.post('/testing/jobs/release-reservations')).body).to.include({ expired: 1 });
    await stays(id, 'an invoice that expired');
  });
});

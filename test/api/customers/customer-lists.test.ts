import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

describe('lists of customers', () => {
  let shop: TestShop;
  let grace: string;

  before(async () => {
    shop = await TestShop.open();
    const named = (firstName: string, lastName: string, tags: readonly string[]) =>
      make('/customers', { email: `${firstName.toLowerCase()}@example.com`, firstName, lastName, tags });
    grace = (await named('Grace', 'Hopper', ['Navy', 'VIP'])).id as string;
    await named('Alan', 'Turing', ['vip']);
    await named('Ada', 'Lovelace', []);
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const names = (...wanted: readonly string[]) =>
    body(({ items, totalItems }) => {
      expect((items as { firstName: string }[]).map(({ firstName }) => firstName)).to.deep.equal(wanted);
      expect(totalItems).to.equal(wanted.length);
    });

  it('show what GET of one shows, newest first', async () => {
    const { body: one } = await when(manage.get(`/customers/${grace}`)).then(200);
    expect(one).to.include({ email: 'grace@example.com', orderCount: 0 });
    await when(manage.get('/customers'))
      .then(200, { pageSize: 50 })
      .and(names('Ada', 'Alan', 'Grace'))
      .and(body(({ items }) => expect(items[2]).to.deep.equal(one)));
    await when(manage.get('/customers/00000000-0000-4000-8000-000000000000')).then(404);
  });

  it('are sorted, and searched by any part of name, e-mail address and tags', async () => {
    await when(manage.get('/customers?sortBy=email&sortDirection=desc'))
      .then(200)
      .and(names('Grace', 'Alan', 'Ada'));
    await when(manage.get('/customers?search=LOVE')).then(200).and(names('Ada'));
    await when(manage.get('/customers/search?search=alan@&sortBy=name'))
      .then(200, { pageSize: 20 })
      .and(names('Alan'));
    await when(manage.get('/customers?search=vi')).then(200).and(names('Alan', 'Grace'));
    await when(manage.get('/customers/search?search=NAVY')).then(200).and(names('Grace'));
  });

  it('count the tags whatever their case, and lose those that nobody has any more', async () => {
    const tags = (...wanted: readonly (readonly [string, number])[]) =>
      body(({ items }) =>
        expect(items).to.deep.equal(wanted.map(([name, customerCount]) => ({ name, customerCount }))),
      );
    await when(manage.get('/customers/tags?sortBy=name'))
      .then(200)
      .and(tags(['Navy', 1], ['VIP', 2]));
    await when(manage.get('/customers/tags?search=av'))
      .then(200)
      .and(tags(['Navy', 1]));
    await when(manage.put(`/customers/${grace}`, { tags: ['VIP', 'COBOL'] })).then(200);
    await when(manage.get('/customers/tags?sortBy=name'))
      .then(200)
      .and(tags(['COBOL', 1], ['VIP', 2]));
  });

  it('know nothing of somebody who was deleted', async () => {
    await when(manage.delete(`/customers/${grace}`)).then(204);
    await when(manage.get('/customers?search=grace')).then(200).and(names());
    await when(manage.get(`/customers/${grace}`)).then(404);
    await when(manage.get('/customers/tags'))
      .then(200)
      .and(body(({ items }) => expect(items).to.deep.equal([{ name: 'VIP', customerCount: 1 }])));
  });
});

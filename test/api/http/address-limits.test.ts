import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import { add, withHeaders } from '#test/support/requests.ts';
import { noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const LIMIT = 3;

describe('what one address may make in a minute', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    const environment = {
      Store__newBasketsPerMinute: String(LIMIT),
      Checkout__NewCustomersPerMinute: String(LIMIT),
      Storefront__KeptAnswersPerMinute: String(LIMIT),
    };
    shop = await TestShop.open({ environment });
    mug = await shop.sell('mug', { price: 10, stock: 1000 });
  });
  after(() => shop.close());
  beforeEach(() => shop.tester.post('/testing/clock', { advanceSeconds: 60 }));

  const statuses = (answers: readonly ApiResponse[]): readonly number[] =>
    answers.map(({ status }) => status).toSorted();
  const allPassAndOneIsRefused = [...Array.from({ length: LIMIT }, () => 200), 429];
  const addTo = () => shop.shopper().ask(add(mug));

  it('baskets: of those that come at once so many, the next a minute later', async () => {
    const answers = await Promise.all(Array.from({ length: LIMIT + 1 }, addTo));
    expect(statuses(answers)).to.deep.equal(allPassAndOneIsRefused);
    await shop.given().when(add(mug)).then(429).and(refusedFor('too-many-requests')).and(noNewEvents());
    await shop.tester.post('/testing/clock', { advanceSeconds: 60 });
    expect((await addTo()).status).to.equal(200);
  });

  it('baskets: goes on in one that is there, counts no refused add, and takes the word of nobody', async () => {
    const shopper = shop.shopper();
    for (let time = 0; time < 2 * LIMIT; time++) expect((await shopper.add(mug)).status).to.equal(200);
    for (let time = 0; time < LIMIT; time++)
      expect((await shop.shopper().add('00000000-0000-4000-8000-000000000000')).status).to.equal(400);
    const forwarded = (at: number) =>
      shop.shopper().ask(withHeaders({ 'X-Forwarded-For': `203.0.113.${at}` }, add(mug)));
    const answers = [await forwarded(1), await forwarded(2), await forwarded(3)];
    expect(statuses(answers)).to.deep.equal([200, 200, 429]);
  });

  it('customers: so many that nobody knew; those who are known buy on', async () => {
    const shopper = shop.shopper();
    await shopper.add(mug);
    const told = (name: string) => shopper.giveAddress(`${name}@example.com`);
    for (const name of ['ada', 'bob', 'cy']) expect((await told(name)).status, name).to.equal(200);
    const refused = await told('dee');
    expect(refused.status).to.equal(429);
    expect(refused.body).to.include({ success: false });
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await told('bob')).status, 'known').to.equal(200);
    await shop.settle();
    const { body } = await shop.admin.get('/backoffice/api/v1/customers?search=dee@example.com');
    expect(body.items).to.deep.equal([]);
    await shop.tester.post('/testing/clock', { advanceSeconds: 60 });
    for (let time = 0; time < LIMIT; time++) await told('ada');
    for (const name of ['dee', 'eve', 'fay']) expect((await told(name)).status, name).to.equal(200);
  });

  it('answers under keys: so many keys of shoppers, repeats are none of them, and staff have no limit', async () => {
    const shopper = shop.shopper();
    await shopper.add(mug);
    const keyed = (key: string) => shopper.ask(withHeaders({ 'Idempotency-Key': key }, add(mug)));
    for (const key of ['a', 'a', 'a', 'a', 'b', 'c']) expect((await keyed(key)).status, key).to.equal(200);
    expect((await keyed('d')).status).to.equal(429);
    const made = (name: string) =>
      shop.admin.ask(
        withHeaders(
          { 'Idempotency-Key': name },
          { method: 'POST', path: '/backoffice/api/v1/warehouses', body: { name, code: name } },
        ),
      );
    for (let at = 0; at < 2 * LIMIT; at++) expect((await made(`w${at}`)).status).to.not.equal(429);
  });
});

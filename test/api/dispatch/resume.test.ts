import { expect } from 'chai';
import { Browser } from '#test/support/browser.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/backoffice/api/v1/dispatch/resume';

describe('POST /dispatch/resume (docs/rules/webhooks.md#after-a-restore)', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  for (const [what, body] of [
    ['without a position', {}],
    ['from a word', { from: 'later' }],
    ['from before the log', { from: -1 }],
    ['from a part of a position', { from: 1.5 }],
    ['from a position beyond the log', { from: 1_000_000 }],
  ] as const) {
    it(`is refused ${what}, with the field and what was expected`, async () => {
      const answer = await shop.admin.post(path, body);
      expect(answer.status).to.equal(400);
      expect(JSON.stringify(answer.body)).to.match(/from: .*"now\\", 0 or the position of an event/);
    });
  }

  it('resumes nothing where nothing waits, however often it is asked', async () => {
    const head = await shop.shop.runtime.store.head();
    for (const [from, after] of [
      ['now', head],
      [0, 0],
      [0, 0],
    ] as const) {
      const answer = await shop.admin.post(path, { from });
      expect([answer.status, answer.body]).to.deep.equal([200, { after, resumed: [] }]);
    }
  });

  it('is for admins only', async () => {
    expect((await new Browser(shop.base).post(path, { from: 'now' })).status).to.equal(401);
  });
});

import { expect } from 'chai';
import { isSignedBy, linkTo, type LogSeal } from '#projection/contexts/audit/seals/log-seal.ts';
import type { Browser } from '#test/support/browser.ts';
import { TestShop } from '#test/support/shop.ts';

interface SealPage {
  readonly publicKey: string | null;
  readonly seals: readonly LogSeal[];
  readonly nextBefore: number | null;
}

describe('the seals of the event log', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const read = async (query = '', who: Browser = shop.admin): Promise<SealPage> =>
    (await who.get(`/backoffice/api/v1/audit/seals?${query}`)).body;

  it('are none, and have no key, before the first is made', async () => {
    expect(await read()).to.deep.equal({ publicKey: null, seals: [], nextBefore: null });
  });

  it('can be checked with what the answer says, page by page', async () => {
    for (const name of ['mug', 'cup', 'pot']) {
      await shop.sell(name, { price: 10, stock: 1 });
      await shop.tester.post('/testing/jobs/seal-log');
    }
    const first = await read('limit=2');
    const rest = await read(`limit=2&before=${first.nextBefore}`);
    expect(rest.nextBefore).to.equal(null);
    const seals = [...first.seals, ...rest.seals];
    expect(seals.map(({ number }) => number)).to.deep.equal([3, 2, 1]);
    expect(seals.filter((seal) => !isSignedBy(seal, first.publicKey ?? ''))).to.deep.equal([]);
    expect(seals.map(({ previous }) => previous)).to.deep.equal([...seals.slice(1).map(linkTo), '']);
    expect(first.publicKey).to.include('BEGIN PUBLIC KEY');
  });

  it('name the parameter that is wrong', async () => {
    const { status, body } = await shop.admin.get('/backoffice/api/v1/audit/seals?before=0');
    expect(status).to.equal(400);
    expect(JSON.stringify(body)).to.include('before');
  });
});

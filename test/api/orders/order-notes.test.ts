import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

interface Note {
  readonly text: string;
}

/** docs/rules/orders.md#notes */
describe('GET /orders/{id}/notes', () => {
  const WRITTEN = 230;
  let shop: TestShop;
  let id: string;
  const { when } = managing(() => shop);
  const write = (text: string) => when(manage.post(`/orders/${id}/notes`, { text })).then(200);
  const seen = async (path: string) => {
    await shop.settle();
    return (await when(manage.get(path)).then(200)).body;
  };
  const page = (query: string) => seen(`/orders/${id}/notes?${query}`);
  const texts = ({ items }: { readonly items: readonly Note[] }) => items.map(({ text }) => text);
  /** `note 0` is the oldest. */
  const between = (first: number, last: number): string[] =>
    Array.from(
      { length: Math.abs(last - first) + 1 },
      (_, at) => `note ${first + Math.sign(last - first) * at}`,
    );

  before(async () => {
    shop = await TestShop.open();
    const mug = await shop.sell('mug', { price: 10, stock: 100 });
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    id = (await shopper.pay()).body.invoiceId;
    for (let at = 0; at < WRITTEN; at++) await write(`note ${at}`);
  });
  after(() => shop.close());

  it('has every note, newest first, page by page without a gap or an overlap', async () => {
    const first = await page('pageSize=60');
    expect(first).to.include({ totalItems: WRITTEN, totalPages: 4, page: 1, pageSize: 60 });
    const pages = [first, ...(await Promise.all([2, 3, 4].map((at) => page(`pageSize=60&page=${at}`))))];
    expect(pages.flatMap(texts)).to.deep.equal(between(WRITTEN - 1, 0));
    expect(texts(await page('pageSize=60&page=5'))).to.deep.equal([]);
    expect(first.items[0]).to.include({ author: 'API key', authorId: 'api-key', isVisibleToCustomer: false });
  });

  it('goes from the oldest on where that is asked for, and finds by what was written', async () => {
    expect(texts(await page('pageSize=60&sortDirection=asc'))).to.deep.equal(between(0, 59));
    expect(texts(await page('pageSize=60&page=4&sortDir=asc'))).to.deep.equal(between(180, WRITTEN - 1));
    const found = await page('search=NOTE%2022');
    expect(texts(found)).to.deep.equal([...between(229, 220), 'note 22']);
    expect(found.totalItems).to.equal(11);
  });

  it('leaves the newest 200 in the order itself, oldest first, and how many there are', async () => {
    const { notes, noteCount } = (await seen(`/orders/${id}`)) as { notes: Note[]; noteCount: number };
    expect([texts({ items: notes }), noteCount]).to.deep.equal([between(30, WRITTEN - 1), WRITTEN]);
  });

  it('knows nothing of an order that is not there, and of one that is deleted', async () => {
    await when(manage.get('/orders/00000000-0000-4000-8000-000000000000/notes')).then(404);
    await when(manage.post('/orders/delete', { ids: [id] })).then(200, { deletedCount: 1 });
    await shop.settle();
    await when(manage.get(`/orders/${id}/notes`)).then(404);
  });
});

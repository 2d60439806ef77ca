import { expect } from 'chai';
import { faultyEventStore, holds, type FaultyEventStore } from '#test/support/faults.ts';
import { API_KEY, TestShop } from '#test/support/shop.ts';

const base = '/backoffice/api/v1';

/** docs/guides/product-csv.md#importing */
describe('a product file', () => {
  let log: FaultyEventStore;
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
  });
  after(() => shop.close());

  const create = (body: object) => shop.admin.post(`${base}/products`, body);

  const imported = async (rows: readonly string[]) => {
    const answer = await fetch(`${shop.base}${base}/product-sync/imports/start`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'text/csv' },
      body: ['Handle,Title,Type,Variant SKU,Variant Price,Variant Inventory Qty', ...rows].join('\n'),
    });
    const { id } = (await answer.json()) as { id: string };
    await shop.tester.post('/testing/jobs/product-sync');
    await shop.settle();
    const { body: run } = await shop.admin.get(`${base}/product-sync/runs/${id}`);
    const { body: issues } = await shop.admin.get(`${base}/product-sync/runs/${id}/issues`);
    return { run, issues: issues.items as Record<string, unknown>[] };
  };

  it('leaves a SKU to somebody who was faster, imports the rest, and gives back what it had claimed', async () => {
    // The file has been checked when its product type is made.
    log.runBefore('append', holds('ProductTypeCreated'), async () => {
      expect((await create({ rootName: 'Faster', sku: 'CUP', price: 4 })).status).to.equal(201);
    });
    const { run, issues } = await imported(['cup,Cup,Crockery,CUP,5,3', 'bowl,Bowl,Crockery,BOWL,6,3']);
    expect(run).to.include({ status: 'Failed', created: 1, errorCount: 1 });
    expect(run.message).to.equal('All was imported but 1 products, which the issues name.');
    const errors = issues.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code, line, column }) => [code, line, column])).to.deep.equal([
      ['not-imported', 2, 'Handle'],
    ]);
    expect(errors[0]?.message).to.include('sku');
    expect((await create({ rootName: 'Cup', rootUrl: 'cup', sku: 'CUP-2', price: 4 })).status).to.equal(201);
  });

  it('takes the SKU and the address of a product that was deleted', async () => {
    const plate = await create({ rootName: 'Plate', rootUrl: 'plate', sku: 'PLATE', price: 4 });
    expect((await shop.admin.delete(`${base}/products/${plate.body.id}`)).status).to.equal(204);
    const { run } = await imported(['plate,Plate,Crockery,PLATE,5,3']);
    expect(run).to.include({ status: 'Completed', created: 1, errorCount: 0 });
  });
});

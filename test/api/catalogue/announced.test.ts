import { expect } from 'chai';
import { announcedBy as everythingAnnouncedBy } from '#test/support/announced.ts';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

// docs/rules/webhooks.md#topics
describe('a change of a product is announced', () => {
  let shop: TestShop;
  let warehouseId: string;
  before(async () => {
    shop = await TestShop.open();
    ({ id: warehouseId } = await make('/warehouses', { name: 'East', address: { countryCode: 'GB' } }));
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);

  /** What the events that a request leaves say of products, in short. */
  const announcedBy = async (request: () => PromiseLike<unknown>) =>
    (await everythingAnnouncedBy(shop, request))
      .filter(({ entityType }) => entityType === 'ProductRoot')
      .map(({ topic, entityId, data }) => [topic, entityId, data['name']]);

  it('once for a request, under the name that the product has now', async () => {
    const size = { name: 'Size', values: [{ name: 'S' }, { name: 'L' }] };
    const stock = [{ warehouseId, stock: 5 }];
    let tee = { id: '', options: [] as { id: string; values: object[] }[], variants: [] as { id: string }[] };
    const created = await announcedBy(async () => {
      tee = await make('/products', { rootName: 'Tee', sku: 'TEE', price: 5, options: [size], stock });
    });
    expect(created).to.deep.equal([['product.created', tee.id, 'Tee']]);
    const path = `/products/${tee.id}`;
    const updated = (name: string) => [['product.updated', tee.id, name]];
    const [option] = tee.options;
    const options = [{ ...option, values: [option?.values[0], { name: 'XL' }] }];
    const changed = announcedBy(() =>
      when(manage.put(path, { rootName: 'T-shirt', options, price: 6, onSale: true })).then(200),
    );
    expect(await changed).to.deep.equal(updated('T-shirt'));
    const repriced = announcedBy(() =>
      when(manage.put(`${path}/variants/${tee.variants[0]?.id}`, { price: 7 })).then(200),
    );
    expect(await repriced).to.deep.equal(updated('T-shirt'));
    const again = announcedBy(() => when(manage.put(path, { rootName: 'T-shirt' })).then(200));
    expect(await again, 'nothing has changed').to.deep.equal([]);
    const gone = announcedBy(() => when(manage.delete(path)).then(204));
    expect(await gone).to.deep.equal([['product.deleted', tee.id, 'T-shirt']]);
  });

  it('with its stock settings, not with units that come or go', async () => {
    const mug = await make('/products', { rootName: 'Mug', sku: 'MUG', price: 5 });
    const path = `/products/${mug.id}/variants/${mug.variants[0].id}/stock`;
    const counted = (more: object) =>
      announcedBy(() => when(manage.post(path, { warehouseId, reason: 'count', ...more })).then(200));
    const updated = [['product.updated', mug.id, 'Mug']];
    expect(await counted({ stock: 9, reorderPoint: 3 }), 'a new row').to.deep.equal(updated);
    expect(await counted({ adjustBy: 1 })).to.deep.equal([]);
    expect(await counted({ reorderPoint: 4 })).to.deep.equal(updated);
    expect(await counted({ reorderPoint: 4 }), 'nothing has changed').to.deep.equal([]);
  });
});

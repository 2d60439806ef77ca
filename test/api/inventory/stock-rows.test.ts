import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

interface Row {
  readonly warehouseId: string;
  readonly stock: number;
}

/** docs/rules/inventory.md#stock-rows */
describe('the stock rows of a variant', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const house = async (name: string): Promise<string> =>
    (await make('/warehouses', { name, address: { countryCode: 'GB' } })).id;
  /** Of one variant with a row of its own in each warehouse. */
  const sell = async (sku: string, ...rows: readonly Row[]) => {
    const { id, variants } = await make('/products', { rootName: sku, sku, price: 5, stock: rows });
    await shop.settle();
    const variantId = variants[0].id as string;
    const row = (warehouseId: string) => `/products/${id}/variants/${variantId}/stock/${warehouseId}`;
    return { id: id as string, variantId, variant: `/products/${id}/variants/${variantId}`, row };
  };
  const rowsOf = async (id: string) => {
    await shop.settle();
    return (await when(manage.get(`/products/${id}`)).then(200)).body.variants[0].stock;
  };

  it('change what is said of them, and nothing else', async () => {
    const east = await house('East');
    const { id, variant } = await sell('CUP', { warehouseId: east, stock: 20 });
    const kept = { warehouseId: east, stock: 20, reservedStock: 0, availableStock: 20 };
    for (const [said, now] of [
      [{ reorderPoint: 4 }, { trackStock: true, reorderPoint: 4, reorderQuantity: null }],
      [{ reorderQuantity: 30 }, { trackStock: true, reorderPoint: 4, reorderQuantity: 30 }],
      [
        { trackStock: false, stock: 7 },
        { trackStock: false, reorderPoint: 4, reorderQuantity: 30 },
      ],
      [
        { trackStock: true, reorderPoint: null },
        { trackStock: true, reorderPoint: null, reorderQuantity: 30 },
      ],
    ] as const) {
      const change = manage.put(variant, { stock: [{ warehouseId: east, ...said }] });
      await when(change)
        .then(200)
        .and(body(({ stock }) => expect(stock).to.deep.equal([{ ...kept, ...now }])));
      await when(change).then(200).and(noNewEvents());
      expect(await rowsOf(id)).to.deep.equal([{ ...kept, ...now }]);
    }
    await when(manage.put(`/products/${id}`, { stock: [{ warehouseId: east, reorderPoint: 9 }] })).then(200);
    expect((await rowsOf(id))[0]).to.include({ stock: 20, reorderPoint: 9, reorderQuantity: 30 });
  });

  it('sell without limit once they are not counted, and are counted again from where they were', async () => {
    const east = await house('Shelf');
    const { variantId, variant } = await sell('PLATE', { warehouseId: east, stock: 2 });
    const track = async (trackStock: boolean) => {
      await when(manage.put(variant, { stock: [{ warehouseId: east, trackStock }] })).then(200);
      await shop.settle();
    };
    expect((await shop.shopper().add(variantId, 3)).status).to.equal(400);
    await track(false);
    expect((await shop.shopper().add(variantId, 3)).status).to.equal(200);
    await track(true);
    expect((await shop.shopper().add(variantId, 3)).status).to.equal(400);
  });

  it('go, with the units that are there, and may come back', async () => {
    const [east, west] = [await house('E'), await house('W')];
    const { id, row, variant } = await sell(
      'BOWL',
      { warehouseId: east, stock: 3 },
      { warehouseId: west, stock: 4 },
    );
    await when(manage.delete(row(east)))
      .then(204)
      .and(events('StockAdjusted', 'StockRowRemoved', 'ProductVariantChanged'));
    expect((await rowsOf(id)).map(({ warehouseId }: Row) => warehouseId)).to.deep.equal([west]);
    await when(manage.delete(row(east)))
      .then(404)
      .and(noNewEvents());
    await when(manage.put(variant, { stock: [{ warehouseId: east, stock: 6 }] })).then(200);
    expect((await rowsOf(id)).map(({ stock }: Row) => stock)).to.deep.equal([4, 6]);
  });

  it('stay while something is reserved there', async () => {
    const mug = await shop.sell('mug', { price: 10, stock: 5 });
    const { items } = (await when(manage.get('/products?search=mug')).then(200)).body;
    const [{ warehouseId }] = await rowsOf(items[0].id);
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2);
    const { body: placed } = await shopper.pay();
    const remove = manage.delete(`/products/${items[0].id}/variants/${mug}/stock/${warehouseId}`);
    await when(remove).then(409).and(refusedFor('stock-reserved')).and(noNewEvents());
    await shopper.payWith(placed.invoiceId);
    await when(remove).then(409);
  });

  it('are refused by what there is not, and nothing is written', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000';
    const east = await house('Far');
    const { id, variant, row } = await sell('JUG');
    await when(manage.delete(row(east)))
      .then(404)
      .and(noNewEvents());
    await when(manage.delete(row(nobody))).then(404);
    await when(manage.delete(`/products/${id}/variants/${nobody}/stock/${east}`)).then(404);
    await when(manage.delete(row('east'))).then(404);
    await when(manage.put(variant, { stock: [{ warehouseId: east, reorderQuantity: -1 }] }))
      .then(400)
      .and(refusedFor('invalid-request'))
      .and(noNewEvents());
  });

  it('go with their warehouse where they are empty, and keep it where they are not', async () => {
    const east = await house('Old');
    const { id, row, variantId } = await sell('POT', { warehouseId: east, stock: 1 });
    const west = await house('New');
    const other = await sell('PAN', { warehouseId: east, stock: 0 }, { warehouseId: west, stock: 3 });
    await when(manage.delete(`/warehouses/${east}`))
      .then(409)
      .and(refusedFor('still-used'))
      .and(noNewEvents());
    const none = { productId: variantId, warehouseId: east, newStock: 0, reason: 'moved' };
    await when(manage.post('/inventory/adjust', none)).then(200);
    await shop.settle();
    await when(manage.delete(`/warehouses/${east}`)).then(204);
    expect((await rowsOf(other.id)).map(({ warehouseId }: Row) => warehouseId)).to.deep.equal([west]);
    // The last row of a variant stays behind, else the variant would sell without limit.
    expect(await rowsOf(id)).to.have.length(1);
    expect((await shop.shopper().add(variantId)).status).to.equal(400);
    await when(manage.put(`/products/${id}`, { rootName: 'Old pot' })).then(200);
    await when(manage.delete(row(east))).then(204);
    expect(await rowsOf(id)).to.deep.equal([]);
  });
});

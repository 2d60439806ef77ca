import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { keyed, manage } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor, type Check } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const names = (...errors: readonly string[]): Check =>
  body((found) => expect(found.errors).to.deep.equal(errors));

/** docs/rules/inventory.md#stock-rows */
describe('stock in the backoffice', () => {
  let shop: TestShop;
  let east: string;

  before(async () => {
    shop = await TestShop.open();
    east = (await make('/warehouses', { name: 'East', address: { countryCode: 'GB' } })).id;
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const adjust = (adjusted: object) => manage.post('/inventory/adjust', adjusted);

  /** A product with a variant for each count; returns the root's id and the variants'. */
  const sell = async (sku: string, ...counts: readonly number[]) => {
    const variants = counts.map((stock, index) => ({
      sku: `${sku}-${index}`,
      name: `${sku} ${index}`,
      price: 5,
      stock: [{ warehouseId: east, stock }],
    }));
    const made = await make('/products', { rootName: sku, warehouses: [{ warehouseId: east }], variants });
    await shop.settle();
    return { id: made.id as string, variants: (made.variants as { id: string }[]).map(({ id }) => id) };
  };

  it('is adjusted by the id of a variant alone', async () => {
    const { variants } = await sell('CUP', 20);
    const row = { productId: variants[0], warehouseId: east, reason: 'admin' };
    await when(adjust({ ...row, quantity: -4 }))
      .then(200, { warehouseId: east, stock: 16, availableStock: 16 })
      .and(events('StockAdjusted'));
    await when(adjust({ ...row, newStock: 30 })).then(200, { stock: 30 });
    await when(adjust({ ...row, newStock: 30 }))
      .then(200, { stock: 30 })
      .and(noNewEvents());
    const other = await make('/warehouses', { name: 'Other', address: { countryCode: 'GB' } });
    await when(adjust({ ...row, warehouseId: other.id, quantity: 7 })).then(200, { stock: 7 });
  });

  it('counts a difference that is asked for twice under one key once', async () => {
    const { variants } = await sell('BOWL', 20);
    const request = adjust({ productId: variants[0], warehouseId: east, reason: 'admin', quantity: 5 });
    await when(keyed('bowls', request)).then(200, { stock: 25 });
    await when(keyed('bowls', request)).then(200, { stock: 25 });
  });

  it('refuses what it cannot do, and writes nothing', async () => {
    const { variants } = await sell('JUG', 3);
    const row = { productId: variants[0], warehouseId: east, reason: 'admin' };
    const oneOfTwo = names('quantity: exactly one of quantity and newStock must be given');
    const refused: readonly (readonly [object, Check])[] = [
      [{ ...row }, oneOfTwo],
      [{ ...row, quantity: 1, newStock: 1 }, oneOfTwo],
      [{ ...row, productId: nobody, quantity: 1 }, names('productId: must be an existing product')],
      [{ ...row, warehouseId: nobody, quantity: 1 }, names('warehouseId: must be an existing warehouse')],
      [{ ...row, quantity: -4 }, names('quantity: must leave at least 0, not -1')],
      [{ ...row, quantity: 0.5 }, refusedFor('invalid-request')],
      [{ ...row, quantity: '1' }, refusedFor('invalid-request')],
      [{ ...row, newStock: -1 }, refusedFor('invalid-request')],
      [{ ...row, productId: 'jug', quantity: 1 }, refusedFor('invalid-request')],
      [{ ...row, reason: '', quantity: 1 }, refusedFor('invalid-request')],
    ];
    for (const [asked, check] of refused) await when(adjust(asked)).then(400).and(check).and(noNewEvents());
  });

  it('has a reorder point that can be changed, and says that it is low when it comes down to it', async () => {
    const { id, variants } = await sell('POT', 20);
    const path = `/products/${id}/variants/${variants[0]}/stock`;
    const row = { warehouseId: east, reason: 'admin' };
    await when(manage.post(path, { ...row, reorderPoint: 15 }))
      .then(200, { stock: 20, reorderPoint: 15 })
      .and(events('ReorderPointChanged'));
    await when(manage.post(path, { ...row, adjustBy: -5 }))
      .then(200, { stock: 15 })
      .and(events('StockAdjusted', 'StockRanLow'));
    await when(manage.post(path, { ...row, adjustBy: -5 }))
      .then(200)
      .and(events('StockAdjusted'));
    await shop.settle();
    const shown = (await when(manage.get(`/products/${id}`)).then(200)).body;
    expect(shown.variants[0].stock[0]).to.include({ stock: 10, reorderPoint: 15 });
  });

  it('makes a variant that is on sale the default when the default sells out', async () => {
    const { id, variants } = await sell('TRAY', 2, 0, 4);
    const row = { productId: variants[0], warehouseId: east, reason: 'admin' };
    const defaults = async () => {
      await shop.settle();
      const shown = (await when(manage.get(`/products/${id}`)).then(200)).body;
      return (shown.variants as { id: string; default: boolean }[])
        .filter((variant) => variant.default)
        .map((variant) => variant.id);
    };
    expect(await defaults()).to.deep.equal([variants[0]]);
    await when(adjust({ ...row, newStock: 0 })).then(200, { stock: 0 });
    expect(await defaults()).to.deep.equal([variants[2]]);
    // It stays with the one that has it, and with the last of all.
    await when(adjust({ ...row, newStock: 2 })).then(200);
    expect(await defaults()).to.deep.equal([variants[2]]);
    await when(adjust({ ...row, newStock: 0 })).then(200);
    await when(adjust({ ...row, productId: variants[2], newStock: 0 }))
      .then(200)
      .and(events('StockAdjusted'));
    expect(await defaults()).to.deep.equal([variants[2]]);
  });
});

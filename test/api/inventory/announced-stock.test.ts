import { expect } from 'chai';
import { announcedBy } from '#test/support/announced.ts';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { API_KEY, TestShop } from '#test/support/shop.ts';

/** docs/rules/inventory.md#reasons */
describe('a direct change of stock', () => {
  let shop: TestShop;
  let warehouseId: string;
  before(async () => {
    shop = await TestShop.open();
    ({ id: warehouseId } = await make('/warehouses', { name: 'East', address: { countryCode: 'GB' } }));
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);

  const adjustments = async (request: () => PromiseLike<unknown>) =>
    (await announcedBy(shop, request))
      .filter(({ topic }) => topic === 'inventory.adjusted')
      .map(({ data: { sku, previousStock, newStock, change, reason } }) => [
        ...[sku, previousStock, newStock, change, reason],
      ]);

  it('is announced with its reason: the staff of a product, their own word, and a row that is removed', async () => {
    let mug = { id: '', variants: [{ id: '' }] };
    const created = adjustments(async () => {
      const stock = [{ warehouseId, stock: 10 }];
      mug = await make('/products', { rootName: 'Mug', sku: 'MUG', price: 5, stock });
    });
    expect(await created).to.deep.equal([['MUG', 0, 10, 10, 'admin']]);
    const variantId = mug.variants[0]?.id ?? '';
    const path = `/products/${mug.id}/variants/${variantId}/stock`;
    const corrected = adjustments(() =>
      when(manage.post(path, { warehouseId, adjustBy: -3, reason: 'Broken' })).then(200),
    );
    expect(await corrected).to.deep.equal([['MUG', 10, 7, -3, 'Broken']]);
    const counted = adjustments(() =>
      when(
        manage.post('/inventory/adjust', { productId: variantId, warehouseId, newStock: 9, reason: 'Count' }),
      ).then(200),
    );
    expect(await counted).to.deep.equal([['MUG', 7, 9, 2, 'Count']]);
    const removed = adjustments(() => when(manage.delete(`${path}/${warehouseId}`)).then(204));
    expect(await removed).to.deep.equal([['MUG', 9, 0, -9, 'row_removed']]);
  });

  it('is not announced of a row that is opened empty, nor of settings', async () => {
    const stock = [{ warehouseId }];
    let cup = { id: '' };
    const quiet = adjustments(async () => {
      cup = await make('/products', { rootName: 'Cup', sku: 'CUP', price: 5, stock });
      const change = { stock: [{ warehouseId, stock: 4, reorderPoint: 2 }] };
      await when(manage.put(`/products/${cup.id}`, change)).then(200);
    });
    expect(await quiet).to.deep.equal([]);
  });

  it('is announced as an import of a row that a file of products opens', async () => {
    const text = [
      'Handle,Title,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price',
      'plate,Plate,PLATE,shopify,5,10',
    ].join('\n');
    const imported = adjustments(async () => {
      await fetch(`${shop.base}/backoffice/api/v1/product-sync/imports/start`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${API_KEY}` },
        body: text,
      });
      await shop.tester.post('/testing/jobs/product-sync');
    });
    expect(await imported).to.deep.equal([['PLATE', 0, 5, 5, 'import']]);
  });

  it('is announced of units that an edit takes off the shelf, and of those that come back from a shipment', async () => {
    const bowl = await shop.sell('BOWL', { price: 10, stock: 9 });
    const shopper = shop.shopper();
    await shopper.prepare(bowl, 3, 'ada@example.com');
    const { invoiceId } = (await shopper.pay()).body;
    await shopper.payWith(invoiceId as string);
    const [order] = (await shop.shown(`/orders/${invoiceId}`)).orders;
    const lineId = order.lineItems[0].id as string;
    const edit = { version: 0, lineItems: [{ id: lineId, quantity: 1, shouldReturnToStock: false }] };
    const edited = adjustments(() => when(manage.put(`/orders/${invoiceId}/edit`, edit)).then(200));
    expect(await edited).to.deep.equal([['BOWL', 9, 7, -2, 'edit_return']]);
    const packed = await when(
      manage.post(`/orders/${order.id}/shipments`, { lineItems: { [lineId]: 1 } }),
    ).then(201);
    const undone = adjustments(() => when(manage.delete(`/shipments/${packed.body.id}`)).then(204));
    expect(await undone).to.deep.equal([['BOWL', 6, 7, 1, 'shipment_reversal']]);
  });
});

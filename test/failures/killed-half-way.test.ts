import { expect } from 'chai';
import { ShopProcess } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';

describe('a shop that is killed half way', () => {
  let shop: ShopProcess;
  afterEach(() => shop.close());

  it('through making a customer known, knows the customer when the address is given again', async () => {
    const storeFile = smallStore({ stock: { tea: null } });
    shop = await ShopProcess.open({ storeFile, diesAt: { when: 'before', eventType: 'CustomerRegistered' } });
    await shop.ready();
    const shopper = shop.shopper();
    expect((await shopper.add(variantId('tea'))).status).to.equal(200);
    const given = await shopper.giveAddress('ada@example.com').catch(() => null);
    expect(given).to.be.null;
    await shop.died();

    await shop.start();
    expect((await shopper.giveAddress('ada@example.com')).status).to.equal(200);
    expect((await shopper.initialize()).status).to.equal(200);
    const { body } = await shopper.pay();
    expect((await shopper.payWith(body.invoiceId)).body.status).to.equal('Completed');
    // Whose e-mail address it is was settled before the kill: the next order is the same customer's.
    const next = shop.shopper();
    await next.prepare(variantId('tea'), 1, 'ada@example.com');
    await next.payWith((await next.pay()).body.invoiceId);
    const { body: orders } = await shop.admin.get('/backoffice/api/v1/orders');
    const details = await Promise.all(
      (orders.items as { id: string }[]).map(({ id }) => shop.admin.get(`/backoffice/api/v1/orders/${id}`)),
    );
    expect(new Set(details.map((detail) => detail.body.customerId)).size).to.equal(1);
    const { sales, problems } = await shop.audit();
    expect({ sales, problems }).to.deep.equal({ sales: 2, problems: [] });
  }).timeout(60_000);

  it('through selling out a default variant, counts that once and passes the default on', async () => {
    shop = await ShopProcess.open({ diesAt: { when: 'after', eventType: 'DefaultVariantSoldOut' } });
    await shop.ready();
    const base = '/backoffice/api/v1';
    const { body: east } = await shop.admin.post(`${base}/warehouses`, {
      name: 'East',
      address: { countryCode: 'GB' },
    });
    const variants = ['ONE', 'TWO'].map((sku) => ({
      sku,
      name: sku,
      price: 5,
      stock: [{ warehouseId: east.id, stock: 3 }],
    }));
    const { body: product } = await shop.admin.post(`${base}/products`, { rootName: 'Twins', variants });
    await shop.settle();
    const [one, two] = (product.variants as { id: string }[]).map(({ id }) => id);
    const sellOut = () =>
      shop.admin.post(
        `${base}/inventory/adjust`,
        { productId: one, warehouseId: east.id, quantity: -3, reason: 'counted' },
        { 'Idempotency-Key': 'sell out' },
      );
    expect(await sellOut().catch(() => null)).to.be.null;
    await shop.died();

    await shop.start();
    await shop.settle();
    const { body: shown } = await shop.admin.get(`${base}/products/${product.id}`);
    const isDefault = (shown.variants as { id: string; default: boolean }[]).find((one) => one.default);
    expect(isDefault?.id).to.equal(two);
    const repeated = await sellOut();
    expect({ status: repeated.status, stock: repeated.body.stock }).to.deep.equal({ status: 200, stock: 0 });
    expect((await shop.audit()).problems).to.deep.equal([]);
  }).timeout(60_000);

  it('through its first import, finishes that before it says that it is ready', async () => {
    shop = await ShopProcess.open({ diesAt: { when: 'after', eventType: 'ProductCreated', nth: 10 } });
    await shop.died();
    shop.launch({ when: 'before', eventType: 'StoreImported' });
    await shop.died();

    await shop.start();
    const imported = await shop.admin.get('/backoffice/api/v1/products?pageSize=100');
    const skus = (imported.body.items as { variants: { sku: string }[] }[]).flatMap(({ variants }) =>
      variants.map(({ sku }) => sku),
    );
    expect(skus).to.include.members(['TEA-SENCHA-50', 'BOK-POSTCARD']);
    expect(new Set(skus).size).to.equal(skus.length);
    const first = await shop.audit();
    expect(first.problems).to.deep.equal([]);

    // What is there is not imported again.
    await shop.start();
    const second = await shop.audit();
    expect(second).to.deep.equal(first);
  }).timeout(60_000);
});

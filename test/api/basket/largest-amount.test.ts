import { expect } from 'chai';
import type { Browser } from '#test/support/browser.ts';
import { add, changeLine, initialize, post, type Step } from '#test/support/requests.ts';
import { noNewEvents } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';
const most = 9_999_999_999.99;
const limit = '£9,999,999,999.99';

describe('the largest amount', () => {
  let shop: TestShop;
  let warehouseId: string;

  before(async () => {
    shop = await TestShop.open();
    warehouseId = (await shop.admin.get(`${management}/warehouses`)).body.items[0].id;
  });
  after(() => shop.close());

  /** Refused with the limit and the field, and no event is left behind. */
  const refuses = async (field: string, request: Step, by: Browser = shop.admin): Promise<void> => {
    const answer = await shop.given().by(by).when(request).then(400, { success: false }).and(noNewEvents());
    expect(answer.text).to.include(field).and.to.include(limit);
  };

  const shopperWith = async (productId: string, quantity = 1): Promise<Shopper> => {
    const shopper = shop.shopper();
    expect((await shopper.add(productId, quantity)).status).to.equal(200);
    return shopper;
  };
  const lineIn = async (shopper: Shopper): Promise<string> => {
    await shop.settle();
    return (await shopper.basket()).body.lineItems[0].id as string;
  };

  it('is refused by the field in whatever the backoffice sends', async () => {
    const create = (path: string, body: object) => post(`${management}${path}`, body);
    const option = { name: 'Ship of the line', warehouseId };
    for (const price of [most + 0.01, 90_071_992_547_409.91, Number.MAX_SAFE_INTEGER, 1e300]) {
      await refuses('price', create('/products', { rootName: 'Yacht', sku: 'yacht', price }));
      await refuses('fixedCost', create('/shipping-options', { ...option, fixedCost: price }));
      const costs = [{ countryCode: 'GB', cost: price }];
      await refuses('costs.0.cost', create('/shipping-options', { ...option, costs }));
    }
    const discount = { name: 'Big', code: 'BIG', value: 10, method: 'Code', category: 'AmountOffOrder' };
    const required = { valueType: 'Percentage', requirementType: 'MinimumPurchaseAmount' };
    await refuses(
      'requirementValue',
      create('/discounts', { ...discount, ...required, requirementValue: 1e14 }),
    );
  });

  it('is refused by the field in a store file', async () => {
    const products = [{ key: 'yacht', rootName: 'Yacht', variants: [{ sku: 'yacht', price: 1e13 }] }];
    const file = { formatVersion: 1, settings: { storeCurrencyCode: 'GBP' }, products };
    await refuses('products.0.variants.0.price', post(`${management}/store-imports`, file));
  });

  it('is refused on the first line, on a second one, and when a quantity is raised', async () => {
    const yacht = await shop.sell('yacht', { price: most });
    const barge = await shop.sell('barge', { price: 2_000_000 });
    await refuses('quantity', add(yacht, 2), shop.shopper());
    await refuses('quantity', add(barge, 9999), shop.shopper());

    const sailor = await shopperWith(yacht);
    await refuses('quantity', add(barge), sailor);
    await refuses('quantity', add(yacht), sailor);

    const bargee = await shopperWith(barge, 100);
    const lineId = await lineIn(bargee);
    await refuses('quantity', changeLine({ lineItemId: lineId, quantity: 9000 }), bargee);
    expect((await bargee.update(lineId, 4999)).body).to.include({ subTotal: 9_998_000_000 });
    await shop.settle();
    expect((await bargee.basket()).body).to.include({ subTotal: 9_998_000_000, total: 11_997_600_000 });
  });

  it('is refused when the shipping goes beyond it, and the whole of it can be bought', async () => {
    const frigate = await shop.sell('frigate', { price: most });
    const captain = await shopperWith(frigate);
    await refuses('shipping', initialize(), captain);
    const cutter = await shop.sell('cutter', { price: most - 5 });
    const mate = shop.shopper();
    await mate.prepare(cutter, 1, 'mate@example.com');
    const paid = await mate.pay();
    expect(paid.status).to.equal(200);
    await mate.payWith(paid.body.invoiceId);
    await shop.settle();
    const [charge] = await shop.charges();
    expect(charge?.amount).to.equal(11_999_999_998.99);
    const today = new Date().toISOString().slice(0, 10);
    const window = `startDate=${today}&endDate=${today}&compareMode=None`;
    const report = await shop.admin.get(`${management}/reporting/breakdown?${window}`);
    expect(report.body).to.include({ grossSales: most - 5, totalSales: 11_999_999_998.99 });
  });

  it('keeps nobody from taking things out after prices have risen', async () => {
    const ids = [await shop.sell('rope', { price: 1 }), await shop.sell('sail', { price: 2 })];
    const shopper = await shopperWith(ids[0] ?? '', 9000);
    await shopper.add(ids[1] ?? '', 9000);
    await shopper.initialize();
    const { body } = await shop.admin.get(`${management}/products?search=Product`);
    for (const { id, variants } of body.items as { id: string; variants: { id: string; sku: string }[] }[]) {
      const [variant] = variants;
      if (variant === undefined || !['rope', 'sail'].includes(variant.sku)) continue;
      const changed = await shop.admin.put(`${management}/products/${id}/variants/${variant.id}`, {
        price: most,
      });
      expect(changed.status).to.equal(200);
    }
    await shop.settle();
    await refuses('quantity', add(ids[0] ?? ''), shopper);
    const lineId = await lineIn(shopper);
    expect((await shopper.update(lineId, 8000)).body).to.include({ success: true, subTotal: 26_000 });
    expect((await shopper.delete(`/api/shop/storefront/basket/${lineId}`)).body).to.include({
      success: true,
      subTotal: 18_000,
    });
    const paid = await shopper.giveAddress();
    expect([paid.status, paid.body.success]).to.deep.equal([400, false]);
  });

  it('has its like for units', async () => {
    const open = await shop.shopper().add(await shop.sell('nail', { price: 0.01 }), 10_000);
    expect([open.status, open.body.message]).to.deep.equal([
      400,
      'quantity: a line holds at most 9999 of one product.',
    ]);
    const bolt = { rootName: 'Bolt', sku: 'bolt', price: 1, stock: [{ warehouseId, stock: 1_000_000_000 }] };
    const { status, body } = await shop.admin.post(`${management}/products`, bolt);
    expect(status).to.equal(201);
    await shop.settle();
    const path = `${management}/products/${body.id}/variants/${body.variants[0].id}/stock`;
    for (const change of [{ adjustBy: 1 }, { stock: 1_000_000_001 }, { adjustBy: Number.MAX_SAFE_INTEGER }]) {
      const answer = await shop.admin.post(path, { warehouseId, reason: 'count', ...change });
      expect([answer.status, answer.body.success], JSON.stringify(change)).to.deep.equal([400, false]);
      expect(JSON.stringify(answer.body)).to.include('1000000000');
    }
  });

  it('is told in the description of every route that may refuse it', async () => {
    const { body } = await shop.admin.get('/openapi.json');
    const storefront = ['add', 'update'].map((path) => `/api/shop/storefront/basket/${path}`);
    const checkout = ['addresses', 'initialize', 'shipping', 'discount/apply', 'pay'];
    for (const path of [...storefront, ...checkout.map((name) => `/api/shop/checkout/${name}`)]) {
      expect(JSON.stringify(body.paths[path].post.responses['400']), path).to.include('amount-too-large');
    }
  });
});

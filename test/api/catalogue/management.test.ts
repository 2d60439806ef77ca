import { expect } from 'chai';
import type { Answer } from '#test/support/browser.ts';
import { TestShop } from '#test/support/shop.ts';

const base = '/backoffice/api/v1';
const nobody = '00000000-0000-4000-8000-000000000000';

describe('the management API', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const post = (path: string, body: unknown, headers?: Record<string, string>): Promise<Answer> =>
    shop.admin.post(base + path, body, headers);
  const put = (path: string, body: unknown): Promise<Answer> => shop.admin.put(base + path, body);
  const remove = (path: string): Promise<Answer> => shop.admin.delete(base + path);
  /** A POST that must succeed. */
  const make = async (path: string, body: unknown): Promise<Answer['body']> => {
    const answer = await post(path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const seen = async (path: string, body: Answer['body']): Promise<void> => {
    await shop.settle();
    const { status, body: found } = await shop.admin.get(`${base}${path}/${body.id}`);
    expect(status).to.equal(200);
    expect(found).to.deep.equal(body);
  };

  it('creates, changes and deletes a tax group, and GET shows the same', async () => {
    const rates = [
      { countryCode: 'us', taxPercentage: 0 },
      { countryCode: 'US', regionCode: 'ca', taxPercentage: 7.25 },
    ];
    const answer = await post('/tax-groups', { name: ' Reduced ', taxPercentage: 5, rates, unknown: 1 });
    expect(answer.status).to.equal(201);
    expect(answer.headers.get('location')).to.equal(`${base}/tax-groups/${answer.body.id}`);
    expect(answer.body).to.include({ name: 'Reduced', taxPercentage: 5 }).and.to.not.have.property('unknown');
    expect(answer.body.rates).to.deep.equal([
      { countryCode: 'US', taxPercentage: 0, regionCode: null },
      { countryCode: 'US', taxPercentage: 7.25, regionCode: 'CA' },
    ]);
    await seen('/tax-groups', answer.body);
    const changed = await put(`/tax-groups/${answer.body.id}`, { taxPercentage: 6 });
    expect(changed.body).to.deep.include({ name: 'Reduced', taxPercentage: 6, rates: answer.body.rates });
    expect(changed.body.dateCreated).to.equal(answer.body.dateCreated);
    await seen('/tax-groups', changed.body);
    expect((await remove(`/tax-groups/${answer.body.id}`)).status).to.equal(204);
    expect((await remove(`/tax-groups/${answer.body.id}`)).status).to.equal(404);
    expect((await put(`/tax-groups/${nobody}`, { name: 'None' })).status).to.equal(404);
  });

  it('tells all that is wrong with a body at once', async () => {
    const { status, body } = await post('/tax-groups', {
      name: 'x'.repeat(251),
      taxPercentage: 100.5,
      rates: [{ countryCode: 'XX', taxPercentage: 1 }],
    });
    expect(status).to.equal(400);
    expect(body.success).to.equal(false);
    const paths = body.errors.map((error: string) => error.split(':')[0]);
    expect(paths).to.have.members(['name', 'taxPercentage', 'rates.0.countryCode']);
    const twice = [
      { countryCode: 'GB', taxPercentage: 1 },
      { countryCode: 'GB', taxPercentage: 2 },
    ];
    expect((await post('/tax-groups', { name: 'Twice', taxPercentage: 1, rates: twice })).status).to.equal(
      400,
    );
  });

  it('keeps the codes of warehouses unique, and lends a code again once it is free', async () => {
    const warehouse = (code: string) => ({ name: `Warehouse ${code}`, code, address: { countryCode: 'FR' } });
    const first = await make('/warehouses', warehouse('LYON'));
    expect(first.address).to.include({ countryCode: 'FR', country: 'France' });
    await seen('/warehouses', first);
    const taken = await post('/warehouses', warehouse('lyon'));
    expect(taken.status).to.equal(409);
    expect(taken.body.message).to.include('code');
    expect((await put(`/warehouses/${first.id}`, { code: 'PARIS' })).status).to.equal(200);
    const second = await make('/warehouses', warehouse('LYON'));
    expect((await put(`/warehouses/${second.id}`, { code: 'PARIS' })).status).to.equal(409);
    expect((await remove(`/warehouses/${first.id}`)).status).to.equal(204);
    expect((await put(`/warehouses/${second.id}`, { code: 'PARIS' })).status).to.equal(200);
  });

  it('keeps what something depends on, and says what that is', async () => {
    const warehouse = await make('/warehouses', { name: 'Depot', address: { countryCode: 'DE' } });
    const option = await make('/shipping-options', {
      name: 'Courier',
      warehouseId: warehouse.id,
      fixedCost: 4.9,
      postcodeRules: [{ countryCode: 'DE', pattern: '1', matchType: 'prefix', action: 10, surcharge: 2 }],
    });
    expect(option).to.include({ fixedCost: 4.9, providerKey: 'flat-rate', isEnabled: true, daysFrom: 3 });
    expect(option.postcodeRules[0]).to.include({ matchType: 'Prefix', action: 'Surcharge', surcharge: 2 });
    await seen('/shipping-options', option);
    const refused = await remove(`/warehouses/${warehouse.id}`);
    expect(refused.status).to.equal(409);
    expect(refused.body.message).to.include('Courier');
    expect((await put(`/shipping-options/${option.id}`, { daysTo: 1 })).body.errors).to.deep.equal([
      'daysTo: not fewer days than daysFrom were expected',
    ]);
    expect((await remove(`/shipping-options/${option.id}`)).status).to.equal(204);
    await shop.settle();
    expect((await remove(`/warehouses/${warehouse.id}`)).status).to.equal(204);
  });

  it('names at once what the schema and what the rules refuse', async () => {
    const option = { name: ' ', warehouseId: nobody, daysFrom: 5, daysTo: 2 };
    expect((await post('/shipping-options', option)).body.errors).to.deep.equal([
      'name: at least 1 characters were expected',
      'warehouseId: an existing warehouse was expected',
      'daysTo: not fewer days than daysFrom were expected',
    ]);
    const discount = { category: 'AmountOffOrder', method: 'Code', code: 'MUCH', valueType: 'Percentage' };
    const errors = [
      'name: at least 1 characters were expected',
      'value: a percentage above 0 and up to 100 was expected',
    ];
    const refused = await post('/discounts', { ...discount, name: '', value: 101 });
    expect(refused.status).to.equal(400);
    expect(refused.body.errors).to.deep.equal(errors);
    const much = await make('/discounts', { ...discount, name: 'Much', value: 10 });
    const changed = await put(`/discounts/${much.id}`, { name: '', value: 101 });
    expect(changed.body.errors).to.deep.equal(errors);
    expect((await put(`/discounts/${nobody}`, { name: '', value: 101 })).body.errors).to.deep.equal([
      errors[0],
    ]);
  });

  it('refuses a reference to something that is not there, naming the field', async () => {
    const option = await post('/shipping-options', { name: 'Ghost', warehouseId: nobody });
    expect(option.body.errors).to.deep.equal(['warehouseId: an existing warehouse was expected']);
    const product = await post('/products', { rootName: 'Ghost', sku: 'G', price: 1, taxGroupId: nobody });
    expect(product.body.errors).to.deep.equal(['taxGroupId: an existing tax group was expected']);
  });

  it('makes a product with variants and stock, which the answer tells whole', async () => {
    const warehouse = await make('/warehouses', { name: 'Stock', address: { countryCode: 'GB' } });
    const type = await make('/product-types', { name: 'Tea & more' });
    expect(type.alias).to.equal('tea-more');
    const collection = await make('/collections', { name: 'Spring' });
    const product = await make('/products', {
      rootName: 'Sencha',
      productTypeId: type.id,
      collectionIds: [collection.id],
      variants: [
        { sku: 'SEN-50', name: '50 g', price: 9.5, stock: [{ warehouseId: warehouse.id, stock: 5 }] },
        { sku: 'SEN-100', name: '100 g', price: 17, default: true, onSale: true, previousPrice: 20 },
      ],
    });
    expect(product).to.include({ rootUrl: 'sencha', isDigitalProduct: false });
    const [small, large] = product.variants;
    expect(small).to.include({
      price: 9.5,
      default: false,
      isStockTracked: true,
      url: '/sencha?variant=SEN-50',
    });
    expect(small.stock).to.deep.equal([
      {
        warehouseId: warehouse.id,
        stock: 5,
        reservedStock: 0,
        availableStock: 5,
        trackStock: true,
        reorderPoint: null,
        reorderQuantity: null,
      },
    ]);
    expect(large).to.include({ default: true, isStockTracked: false, previousPrice: 20, url: '/sencha' });
    await seen('/products', product);
    expect((await remove(`/product-types/${type.id}`)).status).to.equal(409);

    const changed = await put(`/products/${product.id}`, {
      rootName: 'Fine Sencha',
      variants: [
        { sku: 'SEN-50', price: 10, stock: [{ warehouseId: warehouse.id, stock: 500 }] },
        { sku: 'SEN-250', price: 40 },
      ],
    });
    expect(changed.status).to.equal(200);
    expect(changed.body.variants.map(({ sku }: { sku: string }) => sku)).to.deep.equal([
      'SEN-50',
      'SEN-100',
      'SEN-250',
    ]);
    expect(changed.body.variants[0]).to.include({ price: 10, name: '50 g' });
    expect(changed.body.variants[0].stock[0].stock, 'stock counts for new rows only').to.equal(5);
    await seen('/products', changed.body);
  });

  it('tells skus and addresses of products apart', async () => {
    const first = await make('/products', { rootName: 'Bowl', sku: 'BOWL', price: 5 });
    const second = await make('/products', { rootName: 'Bowl', sku: 'BOWL-2', price: 5 });
    expect([first.rootUrl, second.rootUrl]).to.deep.equal(['bowl', 'bowl-2']);
    const taken = await post('/products', { rootName: 'Bowl', sku: 'BOWL', price: 5 });
    expect(taken.status).to.equal(409);
    expect(taken.body.message).to.include('sku');
    const third = await make('/products', { rootName: 'Bowl', sku: 'BOWL-3', price: 5 });
    expect(third.rootUrl, 'a refused product keeps no address').to.equal('bowl-3');
    expect((await remove(`/products/${first.id}`)).status).to.equal(204);
    expect((await post('/products', { rootName: 'Bowl', sku: 'BOWL', price: 5 })).status).to.equal(201);
  });

  it('takes no product that is too large for one entry in the log, and keeps nothing of it', async () => {
    const variants = Array.from({ length: 2000 }, (_, index) => ({
      sku: `HUGE-${index}`,
      name: 'x'.repeat(200),
      price: 1,
    }));
    const { status, body } = await post('/products', { rootName: 'Huge', variants });
    expect(status).to.equal(413);
    expect(body.message).to.match(/^This would record \d+ bytes at once, and at most 1000000 can be\./);
    await make('/products', { rootName: 'Huge', sku: 'HUGE-1999', price: 1 });
  });

  it('says what a product lacks', async () => {
    const { status, body } = await post('/products', { rootName: 'Nothing', variants: [{ price: 1.005 }] });
    expect(status).to.equal(400);
    expect(body.errors[0]).to.match(/^variants\.0\.price/);
    expect((await post('/products', { rootName: 'Nothing' })).body.errors).to.deep.equal([
      'sku: a sku was expected',
      'price: a price was expected',
    ]);
    const options = [{ name: 'Size', values: [{ name: 'S' }] }];
    const generated = await post('/products', { rootName: 'Shirt', sku: 'SH', price: 9, options });
    expect(generated.body.errors[0]).to.match(/^variants: /);
  });

  it('adds, changes and removes variants', async () => {
    const product = await make('/products', { rootName: 'Plate', sku: 'PL', price: 5 });
    const path = `/products/${product.id}/variants`;
    const added = await make(path, { sku: 'PL-XL', price: 8, name: 'Extra large' });
    expect(added).to.include({ sku: 'PL-XL', default: false });
    const renamed = await put(`${path}/${added.id}`, { sku: 'PL-XXL', default: true });
    expect(renamed.body).to.include({ sku: 'PL-XXL', default: true, price: 8 });
    expect((await make('/products', { rootName: 'Other', sku: 'PL-XL', price: 1 })).id).to.be.a('string');
    expect((await put(`${path}/${nobody}`, { price: 1 })).status).to.equal(404);
    expect((await remove(`${path}/${added.id}`)).status).to.equal(204);
    const [left] = product.variants;
    expect((await remove(`${path}/${left.id}`)).status, 'the last one stays').to.equal(409);
  });

  it('counts stock, never below what is reserved', async () => {
    const id = await shop.sell('RESERVED', { price: 5, stock: 3 });
    const shopper = shop.shopper();
    await shopper.prepare(id, 2);
    expect((await shopper.pay()).status).to.equal(200);
    await shop.settle();
    const sellable = shop.shop.house.reference.catalogue.variant(id);
    const [row] = sellable?.variant.stockRows ?? [];
    const path = `/products/${sellable?.rootId}/variants/${id}/stock`;
    const warehouseId = row?.warehouseId;
    const adjusted = await post(path, { warehouseId, adjustBy: 4, reason: 'delivery' });
    expect(adjusted.status).to.equal(200);
    expect(adjusted.body).to.include({ stock: 7, reservedStock: 2, availableStock: 5 });
    expect((await post(path, { warehouseId, stock: 1, reason: 'broken' })).status).to.equal(409);
    expect((await post(path, { warehouseId, reason: 'nothing' })).status).to.equal(400);
    expect((await remove(`/products/${sellable?.rootId}`)).status, 'two are reserved').to.equal(409);
    const other = await make('/warehouses', { name: 'Second', address: { countryCode: 'GB' } });
    const opened = await post(path, { warehouseId: other.id, stock: 9, reason: 'first delivery' });
    expect(opened.body).to.include({ warehouseId: other.id, stock: 9, trackStock: true });
  });

  it('keeps discounts: codes unique in any case, switched on and off, others refused by name', async () => {
    const rule = {
      name: 'Summer',
      category: 'amountoffOrder',
      method: 0,
      valueType: 'Percentage',
      value: 12.5,
      code: 'summer',
    };
    const discount = await make('/discounts', rule);
    expect(discount).to.include({
      code: 'SUMMER',
      status: 'Active',
      usageCount: 0,
      category: 'AmountOffOrder',
    });
    await seen('/discounts', discount);
    expect((await post('/discounts', { ...rule, code: 'Summer' })).status).to.equal(409);
    const off = await post(`/discounts/${discount.id}/deactivate`, {});
    expect([off.status, off.body.status]).to.deep.equal([200, 'Disabled']);
    await seen('/discounts', off.body);
    const on = await post(`/discounts/${discount.id}/activate`, {});
    expect(on.body.status).to.equal('Active');
    const other = await post('/discounts', { ...rule, code: 'FREE', category: 'FreeShipping' });
    expect(other.body.errors[0]).to.include('AmountOffOrder was expected');
    const required = await put(`/discounts/${discount.id}`, {
      requirementType: 'MinimumPurchaseAmount',
      requirementValue: 25.5,
    });
    expect(required.body).to.include({ requirementType: 'MinimumPurchaseAmount', requirementValue: 25.5 });
    await seen('/discounts', required.body);
  });

  it('creates once for one idempotency key', async () => {
    const headers = { 'Idempotency-Key': 'a-lamp' };
    const body = { rootName: 'Lamp', sku: 'LAMP', price: 30 };
    const [first, second] = [await post('/products', body, headers), await post('/products', body, headers)];
    expect([first.status, second.status]).to.deep.equal([201, 201]);
    expect(second.body).to.deep.equal(first.body);
  });
});

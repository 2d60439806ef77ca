import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { keyed, manage, pay, readyToPay } from '#test/support/requests.ts';
import { body, events, exactly, noNewEvents, refusedFor, type Check } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const base = '/backoffice/api/v1';
const nobody = '00000000-0000-4000-8000-000000000000';
const names = (...errors: readonly string[]): Check =>
  body((found) => expect(found.errors).to.deep.equal(errors));

describe('the management API', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const { when, make, seen } = managing(() => shop);

  it('creates, changes and deletes a tax group, and GET shows the same', async () => {
    const given = [
      { countryCode: 'us', taxPercentage: 0 },
      { countryCode: 'US', regionCode: 'ca', taxPercentage: 7.25 },
    ];
    const rates = [
      { countryCode: 'US', taxPercentage: 0, regionCode: null },
      { countryCode: 'US', taxPercentage: 7.25, regionCode: 'CA' },
    ];
    const wanted = { name: ' Reduced ', taxPercentage: 5, rates: given, unknown: 1 };
    const made = await when(manage.post('/tax-groups', wanted))
      .then(201, { name: 'Reduced', taxPercentage: 5, rates })
      .and(events('TaxGroupCreated'));
    const group = made.body;
    expect(group).to.not.have.property('unknown');
    const path = `/tax-groups/${group.id}`;
    expect(made.headers.get('location')).to.equal(base + path);
    await seen('/tax-groups', group);
    const { dateCreated } = group;
    const changed = await when(manage.put(path, { taxPercentage: 6 }))
      .then(200, { name: 'Reduced', taxPercentage: 6, rates, dateCreated })
      .and(events('TaxGroupChanged'));
    await seen('/tax-groups', changed.body);
    await when(manage.delete(path)).then(204).and(events('TaxGroupDeleted'));
    await when(manage.delete(path)).then(404).and(noNewEvents());
    await when(manage.put(`/tax-groups/${nobody}`, { name: 'None' })).then(404);
  });

  it('tells all that is wrong with a body at once', async () => {
    const wrong = {
      name: 'x'.repeat(251),
      taxPercentage: 100.5,
      rates: [{ countryCode: 'XX', taxPercentage: 1 }],
    };
    await when(manage.post('/tax-groups', wrong))
      .then(400, { success: false })
      .and(
        body(({ errors }) => {
          const paths = errors.map((error: string) => error.split(':')[0]);
          expect(paths).to.have.members(['name', 'taxPercentage', 'rates.0.countryCode']);
        }),
      );
    const rates = [1, 2].map((taxPercentage) => ({ countryCode: 'GB', taxPercentage }));
    await when(manage.post('/tax-groups', { name: 'Twice', taxPercentage: 1, rates })).then(400);
  });

  it('keeps the codes of warehouses unique, and lends a code again once it is free', async () => {
    const warehouse = (code: string) => ({ name: `Warehouse ${code}`, code, address: { countryCode: 'FR' } });
    const first = await make('/warehouses', warehouse('LYON'));
    expect(first.address).to.include({ countryCode: 'FR', country: 'France' });
    await seen('/warehouses', first);
    await when(manage.post('/warehouses', warehouse('lyon')))
      .then(409)
      .and(refusedFor('value-taken'))
      .and(body(({ message }) => expect(message).to.include('code')));
    const toParis = ({ id }: { readonly id: string }) => manage.put(`/warehouses/${id}`, { code: 'PARIS' });
    await when(toParis(first)).then(200);
    const second = await make('/warehouses', warehouse('LYON'));
    await when(toParis(second)).then(409).and(refusedFor('value-taken'));
    await when(manage.delete(`/warehouses/${first.id}`)).then(204);
    await when(toParis(second)).then(200);
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
    await when(manage.delete(`/warehouses/${warehouse.id}`))
      .then(409)
      .and(refusedFor('still-used'))
      .and(body(({ message }) => expect(message).to.include('Courier')));
    await when(manage.put(`/shipping-options/${option.id}`, { daysTo: 1 }))
      .then(400)
      .and(names('daysTo: must not be fewer than daysFrom'));
    await when(manage.delete(`/shipping-options/${option.id}`)).then(204);
    await when(manage.delete(`/warehouses/${warehouse.id}`)).then(204);
  });

  it('keeps the keys of shipping options unique in their warehouse', async () => {
    const houses: { readonly id: string }[] = [];
    for (const name of ['North', 'South'])
      houses.push(await make('/warehouses', { name, address: { countryCode: 'DE' } }));
    const option = (house: number, externalKey: string | null) => ({
      name: 'Keyed',
      warehouseId: houses[house]?.id,
      externalKey,
    });
    const first = await make('/shipping-options', option(0, 'next_day:1.2-a'));
    expect(first.externalKey).to.equal('next_day:1.2-a');
    await seen('/shipping-options', first);
    await make('/shipping-options', option(1, 'next_day:1.2-a'));
    await make('/shipping-options', option(0, null));
    await make('/shipping-options', option(0, ''));
    await when(manage.post('/shipping-options', option(0, 'next_day:1.2-a')))
      .then(409)
      .and(refusedFor('value-taken'))
      .and(body(({ message }) => expect(message).to.include('externalKey')));
    for (const wrong of ['two words', 'ä', 'x'.repeat(101)])
      await when(manage.post('/shipping-options', option(0, wrong)))
        .then(400)
        .and(noNewEvents());
  });

  it('refuses ranges of postal codes that are none', async () => {
    const warehouse = await make('/warehouses', { name: 'Ranges', address: { countryCode: 'DE' } });
    const saved = (matchType: string, pattern: string) => {
      const rule = { countryCode: 'GB', matchType, pattern, action: 'Block' };
      return when(
        manage.post('/shipping-options', { name: 'R', warehouseId: warehouse.id, postcodeRules: [rule] }),
      );
    };
    for (const pattern of ['IV21', 'IV28-IV21', 'IV21-KW28', '21-28', 'IV21-IV', 'IV21-IV24-IV28'])
      await saved('OutcodeRange', pattern)
        .then(400)
        .and(names('postcodeRules.0.pattern: must be two outcodes of one area, such as IV21-IV28'));
    for (const pattern of ['90000', '90999-90000', 'A1-A9', '90000-', '1-2-3'])
      await saved('NumericRange', pattern)
        .then(400)
        .and(names('postcodeRules.0.pattern: must be two numbers in order, such as 90000-90999'));
    for (const [matchType, pattern] of [
      ['OutcodeRange', 'iv21 - iv28'],
      ['NumericRange', '90000-90999'],
      ['Prefix', '9'],
    ] as const)
      await saved(matchType, pattern).then(201);
  });

  it('names at once what the schema and what the rules refuse', async () => {
    const option = { name: ' ', warehouseId: nobody, daysFrom: 5, daysTo: 2 };
    const noName = 'name: must not be empty';
    const tooMuch = 'value: must be a percentage above 0 and up to 100';
    await when(manage.post('/shipping-options', option))
      .then(400)
      .and(
        names(
          noName,
          'warehouseId: must be an existing warehouse',
          'daysTo: must not be fewer than daysFrom',
        ),
      );
    const discount = { category: 'AmountOffOrder', method: 'Code', code: 'MUCH', valueType: 'Percentage' };
    const wrong = { name: '', value: 101 };
    await when(manage.post('/discounts', { ...discount, ...wrong }))
      .then(400)
      .and(names(noName, tooMuch));
    const points = { ...discount, name: 'Points', valueType: 'Points', value: 500 };
    await when(manage.post('/discounts', points))
      .then(400)
      .and(names('valueType: must be one of FixedAmount, Percentage, Free'));
    const much = await make('/discounts', { ...discount, name: 'Much', value: 10 });
    await when(manage.put(`/discounts/${much.id}`, wrong))
      .then(400)
      .and(names(noName, tooMuch));
    await when(manage.put(`/discounts/${nobody}`, wrong))
      .then(400)
      .and(names(noName));
  });

  it('refuses a reference to something that is not there, naming the field', async () => {
    await when(manage.post('/shipping-options', { name: 'Ghost', warehouseId: nobody }))
      .then(400)
      .and(names('warehouseId: must be an existing warehouse'));
    await when(manage.post('/products', { rootName: 'Ghost', sku: 'G', price: 1, taxGroupId: nobody }))
      .then(400)
      .and(names('taxGroupId: must be an existing tax group'));
  });

  it('counts stock, never below what is reserved', async () => {
    const id = await shop.sell('RESERVED', { price: 5, stock: 3 });
    await shop
      .given(...readyToPay(id, 2))
      .when(pay())
      .then(200);
    await shop.settle();
    const sellable = shop.shop.runtime.reference.catalogue.variant(id);
    const warehouseId = sellable?.variant.stockRows[0]?.warehouseId;
    const count = (adjusted: object) =>
      when(manage.post(`/products/${sellable?.rootId}/variants/${id}/stock`, adjusted));
    await count({ warehouseId, adjustBy: 4, reason: 'delivery' })
      .then(200, { stock: 7, reservedStock: 2, availableStock: 5 })
      .and(events('StockAdjusted'));
    await count({ warehouseId, stock: 1, reason: 'broken' })
      .then(409)
      .and(refusedFor('stock-below-reserved'));
    await count({ warehouseId, reason: 'nothing' }).then(400).and(refusedFor('invalid-request'));
    // Two of them are reserved.
    await when(manage.delete(`/products/${sellable?.rootId}`))
      .then(409)
      .and(noNewEvents());
    const other = await make('/warehouses', { name: 'Second', address: { countryCode: 'GB' } });
    const row = { warehouseId: other.id, stock: 9, trackStock: true };
    await count({ warehouseId: other.id, stock: 9, reason: 'first delivery' }).then(200, row);
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
    const active = { code: 'SUMMER', status: 'Active', usageCount: 0, category: 'AmountOffOrder' };
    const { body: discount } = await when(manage.post('/discounts', rule)).then(201, active);
    const path = `/discounts/${discount.id}`;
    await seen('/discounts', discount);
    await when(manage.post('/discounts', { ...rule, code: 'Summer' }))
      .then(409)
      .and(refusedFor('value-taken'));
    const off = await when(manage.post(`${path}/deactivate`)).then(200, { status: 'Disabled' });
    await seen('/discounts', off.body);
    await when(manage.post(`${path}/activate`)).then(200, { status: 'Active' });
    await when(manage.post('/discounts', { ...rule, code: 'FREE', category: 'FreeShipping' }))
      .then(400)
      .and(body(({ errors }) => expect(errors[0]).to.include('must say where shipping is free')));
    const requirement = { requirementType: 'MinimumPurchaseAmount', requirementValue: 25.5 };
    const required = await when(manage.put(path, requirement)).then(200, requirement);
    await seen('/discounts', required.body);
  });

  it('creates once for one idempotency key', async () => {
    const lamp = keyed('a-lamp', manage.post('/products', { rootName: 'Lamp', sku: 'LAMP', price: 30 }));
    const { body: first } = await when(lamp).then(201);
    await when(lamp).then(201).and(exactly(first)).and(noNewEvents());
  });
});

import { expect } from 'chai';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const checkout = '/api/shop/checkout';

describe('shipping in checkout', () => {
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 5 });
  });
  after(() => shop.close());
  beforeEach(async () => {
    shopper = shop.shopper();
    await shopper.add(mug, 2);
  });

  it('POST /initialize tells groups, options and what the shop has chosen', async () => {
    const { status, body } = await shopper.initialize();
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      success: true,
      combinedShippingTotal: 5,
      formattedCombinedShippingTotal: '£5.00',
      shippingAutoSelected: true,
      currencyDecimalPlaces: 2,
    });
    expect(body.basket).to.include({ subTotal: 20, shipping: 5, tax: 4, total: 29 });
    const [group] = body.shippingGroups;
    expect(group).to.include({ groupName: 'Hull' });
    expect(group.lineItems).to.have.length(1);
    expect(group.lineItems[0]).to.include({ sku: 'mug', quantity: 2, amount: 20, formattedAmount: '£20.00' });
    const [option] = group.shippingOptions;
    expect(option).to.include({ name: 'Parcel', cost: 5, formattedCost: '£5.00', isSelected: true });
    expect(option.id).to.match(/^so:/);
  });

  it('POST /initialize keeps what was chosen before, and chooses nothing when it may not', async () => {
    const open = await shopper.post(`${checkout}/initialize`, {
      countryCode: 'GB',
      autoSelectShipping: false,
    });
    expect(open.body).to.include({ shippingAutoSelected: false, combinedShippingTotal: 0 });
    const { groupId, shippingOptions } = open.body.shippingGroups[0];
    const previousShippingSelections = { [groupId]: shippingOptions[0].id };
    const restored = await shopper.post(`${checkout}/initialize`, {
      countryCode: 'gb',
      autoSelectShipping: true,
      previousShippingSelections,
    });
    expect(restored.body).to.include({ shippingAutoSelected: false, combinedShippingTotal: 5 });
    expect((await shopper.initialize()).body).to.include({ shippingAutoSelected: false });
  });

  it('POST /initialize needs a basket and a country', async () => {
    expect((await shop.shopper().initialize()).status).to.equal(400);
    for (const body of [{}, { countryCode: null }, { countryCode: 'Atlantis' }, { countryCode: 7 }]) {
      const answer = await shopper.post(`${checkout}/initialize`, body);
      expect([answer.status, answer.body.success]).to.deep.equal([400, false]);
    }
  });

  it('GET /shipping-groups tells the same groups', async () => {
    const { body } = await shopper.initialize();
    const answer = await shopper.get(`${checkout}/shipping-groups`);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.include({ success: true });
    expect(answer.body.shippingGroups).to.deep.equal(body.shippingGroups);
    expect(answer.body.basket).to.have.property('total', 29);
    expect((await shop.shopper().get(`${checkout}/shipping-groups`)).status).to.equal(400);
  });

  it('POST /shipping takes a choice for every group, at the price of the server', async () => {
    const open = await shopper.post(`${checkout}/initialize`, {
      countryCode: 'GB',
      autoSelectShipping: false,
    });
    const { groupId, warehouseId, shippingOptions } = open.body.shippingGroups[0];
    for (const key of [groupId, warehouseId]) {
      const { status, body } = await shopper.post(`${checkout}/shipping`, {
        selections: { [key]: shippingOptions[0].id },
        quotedCosts: { [shippingOptions[0].id]: 0.01 },
      });
      expect(status).to.equal(200);
      expect(body).to.include({ success: true, combinedShippingTotal: 5 });
      expect(body.basket).to.include({ shipping: 5, total: 29 });
      expect(body.shippingGroups[0]).to.have.property(
        'selectedShippingOptionId',
        shippingOptions[0].shippingOptionId,
      );
    }
  });

  it('POST /shipping answers 422, by group, to a choice that is missing, unknown or late', async () => {
    const open = await shopper.initialize();
    const { groupId, shippingOptions } = open.body.shippingGroups[0];
    const { id } = shippingOptions[0];
    for (const body of [
      {},
      { selections: {} },
      { selections: { [groupId]: 'so:00000000-0000-0000-0000-000000000000' } },
      { selections: { [groupId]: id }, deliveryDates: { [id]: '2020-01-01' } },
    ]) {
      const answer = await shopper.post(`${checkout}/shipping`, body);
      expect([answer.status, answer.body.success], JSON.stringify(body)).to.deep.equal([422, false]);
      expect(Object.keys(answer.body.errors)).to.deep.equal([groupId]);
    }
    expect((await shop.shopper().post(`${checkout}/shipping`, {})).status).to.equal(400);
  });

  it('answers 422 with the items that cannot be sent, and leaves the basket as it was', async () => {
    const address = { countryCode: 'DE' };
    const regions = [{ countryCode: 'DE' }];
    const warehouse = await shop.admin.post('/backoffice/api/v1/warehouses', {
      name: 'Berlin',
      address,
      serviceRegions: regions,
    });
    const option = { name: 'Paket', warehouseId: warehouse.body.id, fixedCost: 4 };
    await shop.admin.post('/backoffice/api/v1/shipping-options', option);
    const tea = await shop.admin.post('/backoffice/api/v1/products', {
      rootName: 'Tea',
      sku: 'tea',
      price: 3,
      warehouses: [{ warehouseId: warehouse.body.id }],
    });
    await shop.settle();
    await shopper.initialize();
    await shopper.add(tea.body.variants[0].id);
    const before = await shopper.basket();
    const answer = await shopper.initialize();
    expect([answer.status, answer.body.success]).to.deep.equal([422, false]);
    expect(answer.body.errors.error0).to.include('Tea');
    expect(answer.body.shippingGroups).to.have.length(1);
    const [error] = answer.body.basket.errors;
    expect(error).to.deep.include({ isShippingError: true });
    const line = before.body.lineItems.find(({ sku }: { sku: string }) => sku === 'tea');
    expect(error.relatedLineItemId).to.equal(line.id);
    expect((await shopper.basket()).body.total).to.equal(before.body.total);
    expect((await shopper.post(`${checkout}/shipping`, { selections: {} })).status).to.equal(422);
  });
});

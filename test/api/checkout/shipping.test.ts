import { expect } from 'chai';
import {
  initializedResponse,
  shippingChosenResponse,
  shippingGroupsResponse,
} from '#contracts/checkout.contract.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { add, initialize, selectShipping, showShipping } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

/** The first group that the step before answered with, and its first option. */
const firstChoice = ({ shippingGroups: [group] }: ApiResponse['body']) => ({
  groupId: group.groupId as string,
  warehouseId: group.warehouseId as string,
  option: group.shippingOptions[0],
});
const undecided = initialize({ autoSelectShipping: false });

describe('shipping in checkout', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 5 });
  });
  after(() => shop.close());

  it('POST /initialize tells groups, options and what the shop has chosen', async () => {
    const { body: told } = await shop
      .given(add(mug, 2))
      .when(initialize())
      .then(200, {
        success: true,
        combinedShippingTotal: 5,
        formattedCombinedShippingTotal: '£5.00',
        shippingAutoSelected: true,
        currencyDecimalPlaces: 2,
      })
      .and(events('ShippingSelected'));
    expect(told.basket).to.include({ subTotal: 20, shipping: 5, tax: 4, total: 29 });
    const [group] = told.shippingGroups;
    expect(group).to.include({ groupName: 'Hull' });
    expect(group.lineItems).to.have.length(1);
    expect(group.lineItems[0]).to.include({ sku: 'mug', quantity: 2, amount: 20, formattedAmount: '£20.00' });
    const [option] = group.shippingOptions;
    expect(option).to.include({ name: 'Parcel', cost: 5, formattedCost: '£5.00', isSelected: true });
    expect(option.id).to.match(/^so:/);
  });

  it('answers what it declares, field by field', async () => {
    const select = (last: ApiResponse) => {
      const { groupId, option } = firstChoice(last.body);
      return selectShipping({ selections: { [groupId]: option.id } });
    };
    const { body: begun } = await shop.given(add(mug, 2)).when(initialize()).then(200);
    expect(initializedResponse.parse(begun)).to.deep.equal(begun);
    const { body: chosen } = await shop.given(add(mug, 2), undecided).when(select).then(200);
    expect(shippingChosenResponse.parse(chosen)).to.deep.equal(chosen);
    const { body: shown } = await shop.given(add(mug, 2)).when(showShipping()).then(200);
    expect(shippingGroupsResponse.parse(shown)).to.deep.equal(shown);
  });

  it('POST /initialize chooses nothing when it may not, and keeps what was chosen before', async () => {
    await shop
      .given(add(mug, 2))
      .when(undecided)
      .then(200, { shippingAutoSelected: false, combinedShippingTotal: 0 })
      .and(noNewEvents());
    const restored = (last: ApiResponse) => {
      const { groupId, option } = firstChoice(last.body);
      const previousShippingSelections = { [groupId]: option.id };
      return initialize({ countryCode: 'gb', autoSelectShipping: true, previousShippingSelections });
    };
    await shop
      .given(add(mug, 2), undecided)
      .when(restored)
      .then(200, { shippingAutoSelected: false, combinedShippingTotal: 5 })
      .and(events('ShippingSelected'));
    await shop
      .given(add(mug, 2), undecided, restored)
      .when(initialize())
      .then(200, { shippingAutoSelected: false })
      .and(noNewEvents());
  });

  it('POST /initialize needs a basket and a country', async () => {
    await shop.given().when(initialize()).then(400).and(refusedFor('basket-not-found'));
    for (const countryCode of [undefined, null, 'Atlantis', 7])
      await shop.given(add(mug)).when(initialize({ countryCode })).then(400, { success: false });
  });

  it('POST /initialize refuses a region that the country does not have', async () => {
    await shop
      .given(add(mug))
      .when(initialize({ countryCode: 'US', stateCode: 'XX' }))
      .then(400, { message: 'stateCode: must be a region of United States of America.' })
      .and(noNewEvents());
    for (const place of [{ countryCode: 'US', stateCode: 'ca' }, { countryCode: 'MC' }, { stateCode: '' }])
      await shop.given(add(mug)).when(initialize(place)).then(200);
  });

  it('GET /shipping-groups tells the same groups', async () => {
    const shopper = shop.shopper();
    const { body: begun } = await shop.given(add(mug, 2)).by(shopper).when(initialize()).then(200);
    await shop
      .given()
      .by(shopper)
      .when(showShipping())
      .then(200, { success: true, shippingGroups: begun.shippingGroups })
      .and(body(({ basket }) => expect(basket).to.have.property('total', 29)));
    await shop.given().when(showShipping()).then(400).and(refusedFor('basket-not-found'));
  });

  it('POST /shipping takes a choice for every group, at the price of the server', async () => {
    for (const key of ['groupId', 'warehouseId'] as const) {
      const { body: told } = await shop
        .given(add(mug, 2), undecided)
        .when((last) => {
          const choice = firstChoice(last.body);
          const { id } = choice.option;
          return selectShipping({ selections: { [choice[key]]: id }, quotedCosts: { [id]: 0.01 } });
        })
        .then(200, { success: true, combinedShippingTotal: 5 })
        .and(events('ShippingSelected'));
      expect(told.basket).to.include({ shipping: 5, total: 29 });
      const [group] = told.shippingGroups;
      expect(group.selectedShippingOptionId)
        .to.be.a('string')
        .and.equal(group.shippingOptions[0].shippingOptionId);
    }
  });

  it('POST /shipping answers 422, by group, to a choice that is missing, unknown or late', async () => {
    const wrong: readonly ((groupId: string, id: string) => object)[] = [
      () => ({}),
      () => ({ selections: {} }),
      (groupId) => ({ selections: { [groupId]: 'so:00000000-0000-0000-0000-000000000000' } }),
      (groupId, id) => ({ selections: { [groupId]: id }, deliveryDates: { [id]: '2020-01-01' } }),
    ];
    for (const made of wrong) {
      let asked = '';
      const choose = ({ body: begun }: ApiResponse) => {
        const { groupId, option } = firstChoice(begun);
        asked = groupId;
        return selectShipping(made(groupId, option.id));
      };
      await shop
        .given(add(mug, 2), initialize())
        .when(choose)
        .then(422, { success: false })
        .and(refusedFor('shipping-incomplete'))
        .and(body(({ errors }) => expect(Object.keys(errors)).to.deep.equal([asked])))
        .and(noNewEvents());
    }
    await shop.given().when(selectShipping({})).then(400).and(refusedFor('basket-not-found'));
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
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2);
    await shopper.add(tea.body.variants[0].id);
    const before = await shopper.basket();
    const answer = await shopper.initialize();
    expect([answer.status, answer.body.success]).to.deep.equal([422, false]);
    expect(answer.body.code).to.equal('cannot-ship');
    expect(Object.keys(answer.body.errors)).to.deep.equal(['']);
    expect(answer.body.errors['']).to.include('Tea');
    expect(answer.body.shippingGroups).to.have.length(1);
    const [error] = answer.body.basket.errors;
    expect(error).to.deep.include({ isShippingError: true });
    const line = before.body.lineItems.find(({ sku }: { sku: string }) => sku === 'tea');
    expect(error.relatedLineItemId).to.equal(line.id);
    expect((await shopper.basket()).body.total).to.equal(before.body.total);
    await shop
      .given()
      .by(shopper)
      .when(selectShipping({ selections: {} }))
      .then(422);
  });
});

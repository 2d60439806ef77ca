import { expect } from 'chai';
import {
  add,
  applyCode,
  changeFirstLine,
  giveAddresses,
  initialize,
  manage,
  pay,
  payThat,
} from '#test/support/requests.ts';
import { body } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const free = { valueType: 'Free', value: 0 };
const anything = { buyTargetType: 'AllProducts', getTargetType: 'AllProducts' };

/** A shop of its own for each rule, so that no other comes in between. 20 % tax, a parcel for 5.00. */
describe('a discount of each kind, as a shopper meets it', () => {
  let shop: TestShop;
  let mug: string;
  let tea: string;

  beforeEach(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
    tea = await shop.sell('tea', { price: 4 });
  });
  afterEach(() => shop.close());

  it('takes its value off each unit of the products that it names, and nothing off others', async () => {
    await shop.rule('Mugs', {
      category: 'AmountOffProducts',
      targetRules: [{ targetType: 'Skus', targetIds: ['mug'] }],
    });
    await shop
      .given(add(tea))
      .when(add(mug, 2))
      .then(200, { subTotal: 24, discount: 2, tax: 4.4, total: 26.4 })
      .and(
        body(({ lineItems, appliedDiscounts }) => {
          const [, mugs, discount] = lineItems;
          expect(discount).to.include({
            lineItemType: 'Discount',
            lineTotal: -2,
            discountTarget: 'product',
            parentLineItemId: mugs.id,
          });
          expect(appliedDiscounts[0]).to.include({ name: 'Mugs', amount: 2, isAutomatic: true });
        }),
      );
  });

  it('knows a product by its SKU in any case, when it is saved and in the basket', async () => {
    for (const [index, sku] of ['mug', 'MUG', 'mUg'].entries())
      await shop.rule(sku, {
        category: 'AmountOffProducts',
        method: 'Code',
        code: `SKU${index}`,
        targetRules: [{ targetType: 'Skus', targetIds: [sku, 'TEA'] }],
      });
    for (const code of ['SKU0', 'SKU1', 'SKU2'])
      await shop
        .given(add(mug))
        .when(applyCode(code))
        .then(200)
        .and(body(({ basket }) => expect(basket).to.include({ discount: 1 })));
  });

  it('frees the shipping of the options on its list, however their ids are written', async () => {
    const { body: options } = await shop.admin.ask(manage.get('/shipping-options'));
    const [{ id }] = options.items as [{ id: string }];
    const written = [`so:${id}`, id.toUpperCase(), `SO:${id.toUpperCase()}`, id];
    const ruleId = await shop.rule('Parcels', {
      category: 'FreeShipping',
      ...free,
      freeShipping: { allowedShippingOptionIds: written },
    });
    const { body: saved } = await shop.admin.ask(manage.get(`/discounts/${ruleId}`));
    expect(saved.freeShipping.allowedShippingOptionIds).to.deep.equal([id]);
    await shop
      .given(add(mug), giveAddresses())
      .when(initialize())
      .then(200)
      .and(body(({ basket }) => expect(basket).to.include({ shipping: 5, discount: 5 })));
  });

  it('leaves out what an exclusion names', async () => {
    await shop.rule('All but tea', {
      category: 'AmountOffProducts',
      targetRules: [{ targetType: 'SpecificProducts', targetIds: [tea], isExclusion: true }],
    });
    await shop.given(add(tea)).when(add(mug)).then(200, { discount: 1 });
  });

  it('goes by the warehouse that sends a line', async () => {
    const { body: warehouses } = await shop.admin.get('/backoffice/api/v1/warehouses');
    await shop.rule('From Hull', {
      category: 'AmountOffProducts',
      targetRules: [{ targetType: 'Warehouses', targetIds: [warehouses.items[0].id] }],
    });
    await shop.given().when(add(mug)).then(200, { discount: 1 });
  });

  it('leaves out what the warehouse sends that it excludes, be it automatic or a code', async () => {
    const { body: warehouses } = await shop.admin.get('/backoffice/api/v1/warehouses');
    const exclusion = { targetType: 'Warehouses', targetIds: [warehouses.items[0].id], isExclusion: true };
    const rule = { category: 'AmountOffProducts', targetRules: [exclusion] };
    await shop.rule('Not from Hull', rule);
    await shop.rule('Not from Hull either', { ...rule, method: 'Code', code: 'AWAY' });
    await shop.given().when(add(mug)).then(200, { discount: 0 });
    await shop.given(add(mug)).when(applyCode('AWAY')).then(400, { errorCode: 'NoApplicableProducts' });
  });

  it('takes 10 % of the price with tax off the order', async () => {
    await shop.rule('After tax', { applyAfterTax: true });
    await shop.given().when(add(mug, 10)).then(200, { subTotal: 100, discount: 10, tax: 18, total: 108 });
  });

  it('gives the third of three, and no second one by its limit', async () => {
    const buyXGetY = { buyTriggerType: 'MinimumQuantity', buyTriggerValue: 2, getQuantity: 1, ...anything };
    const offer = { ...buyXGetY, getValueType: 'Free', selectionMethod: 'Cheapest' };
    await shop.rule('Three for two', {
      category: 'BuyXGetY',
      ...free,
      buyXGetY: offer,
      perOrderUsageLimit: 1,
    });
    await shop.given(add(mug, 2)).when(add(tea)).then(200, { subTotal: 24, discount: 4 });
    await shop.given(add(mug, 3)).when(changeFirstLine(6)).then(200, { subTotal: 60, discount: 10 });
  });

  it('keeps free shipping waiting until there is a shipping to take off, and charges none', async () => {
    const freeShipping = { countryScope: 'SelectedCountries', countryCodes: ['GB'] };
    await shop.rule('Post', {
      category: 'FreeShipping',
      method: 'Code',
      code: 'POST',
      ...free,
      freeShipping,
    });
    await shop
      .given(add(mug))
      .when(applyCode('POST'))
      .then(200, { discountDelta: 0 })
      .and(
        body(({ basket }) => {
          expect(basket).to.include({ discount: 0 });
          expect(basket.appliedDiscounts[0]).to.include({ code: 'POST', amount: 0, isAutomatic: false });
        }),
      );
    const told = await shop
      .given(add(mug), applyCode('POST'), giveAddresses())
      .when(initialize())
      .then(200)
      .and(
        body(({ basket }) => {
          expect(basket).to.include({ shipping: 5, discount: 5, tax: 2, total: 12 });
          expect(basket.lineItems[1]).to.include({ discountTarget: 'shipping', lineTotal: -5 });
        }),
      );
    expect(told.body.basket.adjustedSubTotal).to.equal(10);
    await shop
      .given(add(mug), applyCode('POST'), giveAddresses(), initialize(), pay())
      .when(payThat())
      .then(200, { success: true });
    expect(await shop.charges()).to.have.nested.property('[0].amount', 12);
  });
});

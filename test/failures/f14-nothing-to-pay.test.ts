import { expect } from 'chai';
import { add, giveAddresses, initialize, manage, pay } from '#test/support/requests.ts';
import { body, events } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

/** docs/rules/payments.md */
describe('F14 an order that discounts make free', () => {
  let shop: TestShop;
  let mug: string;

  beforeEach(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
    const category = 'FreeShipping';
    const freeShipping = { countryScope: 'AllCountries' };
    await shop.rule('Free parcel', {
      category,
      value: 0,
      freeShipping,
      canCombineWithProductDiscounts: true,
      canCombineWithOrderDiscounts: true,
    });
  });
  afterEach(() => shop.close());

  const withParcel = { canCombineWithShippingDiscounts: true };
  const reward = {
    buyTriggerType: 'MinimumQuantity',
    buyTriggerValue: 1,
    buyTargetType: 'AllProducts',
    buyTargetIds: [],
  };
  const rows: readonly (readonly [string, object])[] = [
    ['500 off the order', { category: 'AmountOffOrder', valueType: 'FixedAmount', value: 500 }],
    ['the whole order free', { category: 'AmountOffOrder', valueType: 'Free', value: 0 }],
    ['each product free', { category: 'AmountOffProducts', valueType: 'Free', value: 0 }],
    ['100 % off the products, after tax', { category: 'AmountOffProducts', value: 100, applyAfterTax: true }],
  ];
  for (const [name, rule] of rows) {
    it(`is paid at once, and no provider is asked: ${name}`, async () => {
      await shop.rule(name, { ...rule, ...withParcel });
      const shopper = shop.shopper();
      await shop
        .given(add(mug, 2), giveAddresses(), initialize())
        .by(shopper)
        .when(pay())
        .then(200, { success: true })
        .and(
          body(({ redirectUrl, invoiceId }) =>
            expect(redirectUrl).to.equal(`/checkout/confirmation/${invoiceId}`),
          ),
        );
      expect(shopper.cookies.has('shop_confirmation')).to.equal(true);
      expect((await shopper.basket()).body).to.include({ isEmpty: true });
      await shop.settle();
      expect(await shop.charges()).to.deep.equal([]);
      const { body: orders } = await shop.given().by(shop.admin).when(manage.get('/orders')).then(200);
      const [order] = orders.items;
      expect(order).to.include({ total: 0, paymentStatus: 'Paid' });
    });
  }

  it('of which only the second unit is free costs the first one, not less', async () => {
    const buyXGetY = {
      ...reward,
      getQuantity: 1,
      getTargetType: 'AllProducts',
      getTargetIds: [],
      getValueType: 'Free',
      getValue: 0,
      selectionMethod: 'Cheapest',
    };
    await shop.rule('One and one', { category: 'BuyXGetY', buyXGetY, value: 0, ...withParcel });
    await shop
      .given(add(mug, 2), giveAddresses())
      .when(initialize())
      .then(200)
      .and(body(({ basket }) => expect(basket).to.include({ subTotal: 20, discount: 15, total: 12 })));
  });

  it('is free only once that has been shown: the second press buys what costs more', async () => {
    const id = await shop.rule('All', {
      category: 'AmountOffOrder',
      valueType: 'Free',
      value: 0,
      ...withParcel,
    });
    const shopper = shop.shopper();
    for (const step of [add(mug), giveAddresses(), initialize()]) await shopper.ask(step);
    await shop
      .given()
      .by(shop.admin)
      .when(manage.delete(`/discounts/${id}`))
      .then(204);
    await shop.settle();
    await shop
      .given()
      .by(shopper)
      .when(pay())
      .then(400, { success: false })
      .and(body(({ basket }) => expect(basket.total).to.equal(12)))
      .and(events('BasketRepriced', 'AutomaticDiscountDropped'));
    await shop.given().by(shopper).when(pay()).then(200, { redirectUrl: null });
  });
});

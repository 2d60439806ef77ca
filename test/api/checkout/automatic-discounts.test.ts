import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import {
  add,
  applyCode,
  changeFirstLine,
  giveAddresses,
  initialize,
  manage,
  pay,
  readyToPay,
  showBasket,
  takeOffDiscount,
  takeOut,
  takeOutFirstLine,
  type Step,
} from '#test/support/requests.ts';
import { body, events, refusedFor, type Check } from '#test/support/scene.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const names = (basket: ApiResponse['body']): string[] =>
  basket.appliedDiscounts.map(({ name }: { name: string }) => name);
const discounted = (...expected: readonly string[]): Check =>
  body((found) => expect(names(found.basket)).to.have.members(expected));
/** At the top level and in the basket, in this answer and no other. */
const warned = (...expected: readonly string[]): Check =>
  body((found) => {
    expect(found.warnings).to.deep.equal(expected);
    expect(found.basket.warnings).to.deep.equal(expected);
  });

const sociable = {
  canCombineWithProductDiscounts: true,
  canCombineWithOrderDiscounts: true,
  canCombineWithShippingDiscounts: true,
};

/** docs/rules/discounts-in-the-basket.md#refresh */
describe('Automatic discounts', () => {
  let shop: TestShop;
  let mug: string;
  let tea: string;

  beforeEach(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
    tea = await shop.sell('tea', { price: 4 });
  });
  afterEach(() => shop.close());

  /** One shopper, request after request. */
  const oneShopper = () => {
    const shopper = shop.shopper();
    return (request: Step, ...before: readonly Step[]) =>
      shop
        .given(...before)
        .by(shopper)
        .when(request);
  };
  const lineOf = ({ body: { basket } }: ApiResponse): string =>
    basket.lineItems.find(({ lineItemType }: { lineItemType: string }) => lineItemType === 'Discount').id;

  it('come when a basket is large enough and go when it is not, with a warning once', async () => {
    await shop.rule('Bulk', { minimumQuantity: 3 });
    const when = oneShopper();
    await when(add(mug, 2)).then(200, { discount: 0 }).and(discounted()).and(warned());
    await when(add(tea)).then(200, { discount: 2.4 }).and(discounted('Bulk')).and(warned());
    await when(changeFirstLine(1), showBasket())
      .then(200, { discount: 0 })
      .and(discounted())
      .and(warned('Bulk needs at least 3 items.'))
      .and(events('BasketLineQuantityChanged', 'AutomaticDiscountDropped'));
    await when(add(mug)).then(200, { discount: 2.4 }).and(discounted('Bulk')).and(warned());
    await when(takeOutFirstLine, showBasket())
      .then(200, { discount: 0 })
      .and(warned('Bulk needs at least 3 items.'));
  });

  it('come and go with what else is known: a code, shipping, and what staff change', async () => {
    const spring = await shop.rule('Spring', { priority: 20 });
    await shop.rule('Free parcel', {
      category: 'FreeShipping',
      value: 0,
      freeShipping: { countryScope: 'AllCountries' },
      ...sociable,
    });
    await shop.rule('SOLO', { method: 'Code', code: 'SOLO', value: 20, priority: 10 });
    const when = oneShopper();
    await when(add(mug)).then(200, { discount: 1 }).and(discounted('Spring'));
    await when(applyCode('SOLO'))
      .then(200, { discountDelta: 1 })
      .and(discounted('SOLO'))
      .and(warned('Spring cannot be combined with SOLO.'));
    await when(takeOffDiscount('01a203bb-d558-7000-b1bf-7f3865deca30')).then(400, { errorCode: 'NotFound' });
    const { body: shown } = await when(giveAddresses()).then(200).and(discounted('SOLO')).and(warned());
    const code = shown.basket.appliedDiscounts[0].id;
    await when(takeOffDiscount(code)).then(200, { discountDelta: 1, warnings: [] }).and(discounted('Spring'));
    await shop
      .given()
      .by(shop.admin)
      .when(manage.put(`/discounts/${spring}`, sociable))
      .then(200);
    await when(initialize()).then(200).and(discounted('Spring', 'Free parcel')).and(warned());
    await shop
      .given()
      .by(shop.admin)
      .when(manage.post(`/discounts/${spring}/deactivate`))
      .then(200);
    // The same choice of shipping, which is no change of its own.
    await when(initialize())
      .then(200)
      .and(discounted('Free parcel'))
      .and(warned('Spring is not active.'))
      .and(events('BasketRepriced', 'AutomaticDiscountDropped'));
    await when(initialize()).then(200).and(discounted('Free parcel')).and(warned()).and(events());
    await when(add(tea)).then(200).and(discounted('Free parcel')).and(warned());
  });

  it('stay off the basket once the shopper has taken them off, by rule or by line, and only off this one', async () => {
    const spring = await shop.rule('Spring', {});
    const when = oneShopper();
    await when(takeOffDiscount(spring), add(mug))
      .then(200, { success: true, message: 'Spring has been taken off.', discountDelta: 1, warnings: [] })
      .and(discounted())
      .and(events('DiscountTakenOff'));
    for (const request of [add(mug), giveAddresses(), initialize()])
      await when(request).then(200).and(discounted()).and(warned());
    await shop
      .given(add(mug))
      .when((last) => takeOut(lineOf(last)))
      .then(200, { discount: 0, itemCount: 1, warnings: [] });
    await shop.given().when(add(mug)).then(200, { discount: 1 });
  });

  it('fall as soon as a customer is known who has used them up: what is shown afterwards is what is paid', async () => {
    await shop.rule('First order', { perCustomerUsageLimit: 1, value: 50 });
    const email = 'returning@example.com';
    const first = shop.shopper();
    await first.prepare(mug, 1, email);
    await first.payWith((await first.pay()).body.invoiceId);
    const usedUp = 'You have used this discount as often as it allows.';

    const when = oneShopper();
    await when(add(mug)).then(200).and(discounted('First order'));
    const { body: told } = await when(giveAddresses({ email }))
      .then(200)
      .and(discounted())
      .and(warned(usedUp));
    await when(add(tea)).then(200).and(discounted()).and(warned());
    const { body: shown } = await when(initialize()).then(200).and(discounted()).and(warned());
    expect(told.basket.discount).to.equal(0);
    const { body: paid } = await when(pay()).then(200);
    await shop.settle();
    const invoice = (await shop.admin.get(`/backoffice/api/v1/orders/${paid.invoiceId}`)).body;
    expect(invoice.total).to.equal(shown.basket.total);

    const other = oneShopper();
    await other(add(mug)).then(200);
    await other(giveAddresses({ email: 'new@example.com' }))
      .then(200)
      .and(discounted('First order'))
      .and(warned());
  });

  it('that a known customer has used up do not come with goods, quantities, or in the place of another', async () => {
    const email = 'returning@example.com';
    const usedUp = 'You have used this discount as often as it allows.';
    await shop.rule('Tea once', {
      category: 'AmountOffProducts',
      perCustomerUsageLimit: 1,
      value: 50,
      targetRules: [{ targetType: 'SpecificProducts', targetIds: [tea] }],
    });
    await shop.rule('Three once', { perCustomerUsageLimit: 1, minimumQuantity: 3 });
    const once = shop.shopper();
    for (const goods of [[tea], [mug, mug, mug]]) {
      for (const productId of goods) await once.add(productId);
      await once.prepare(mug, 1, email);
      await once.payWith((await once.pay()).body.invoiceId);
    }
    await shop.rule('SOLO', { method: 'Code', code: 'SOLO', value: 20, priority: 1 });

    const when = oneShopper();
    await when(add(mug)).then(200).and(discounted());
    await when(giveAddresses({ email })).then(200).and(discounted());
    await when(add(tea)).then(200).and(discounted()).and(warned(usedUp));
    await when(initialize()).then(200).and(discounted()).and(warned());
    await when(pay()).then(200);

    const other = oneShopper();
    await other(add(mug)).then(200).and(discounted());
    await other(giveAddresses({ email })).then(200).and(discounted());
    await other(changeFirstLine(3), showBasket()).then(200).and(discounted()).and(warned(usedUp));

    const third = oneShopper();
    await third(add(mug)).then(200);
    await third(giveAddresses({ email })).then(200);
    await third(applyCode('SOLO')).then(200).and(discounted('SOLO'));
    const { body: kept } = await third(add(mug, 2)).then(200).and(discounted('SOLO')).and(warned());
    await third(takeOffDiscount(kept.basket.appliedDiscounts[0].id))
      .then(200)
      .and(discounted())
      .and(warned(usedUp));
  });

  it('are not spoken of where they never were on the basket', async () => {
    await shop.rule('Better', { priority: 1, value: 20 });
    await shop.rule('Worse', { priority: 2 });
    const when = oneShopper();
    await when(add(mug)).then(200, { discount: 2 }).and(discounted('Better')).and(warned());
    await when(add(mug)).then(200, { discount: 4 }).and(warned());
  });

  it('are refreshed once more when the order is placed: less is charged at once, more after it was shown', async () => {
    const later = oneShopper();
    for (const step of readyToPay(mug)) await later(step).then(200);
    const spring = await shop.rule('Spring', {});
    const { body: cheaper } = await later(pay()).then(200);
    const { body: order } = await shop
      .given()
      .by(shop.admin)
      .when(manage.get(`/orders/${cheaper.invoiceId}`))
      .then(200);
    expect(order).to.include({ discountTotal: 1, total: 15.8 });

    const when = oneShopper();
    for (const step of readyToPay(mug)) await when(step).then(200);
    await shop
      .given()
      .by(shop.admin)
      .when(manage.post(`/discounts/${spring}/deactivate`))
      .then(200);
    await shop.settle();
    await when(pay())
      .then(400, { success: false, message: 'Spring is not active.' })
      .and(refusedFor('basket-changed'))
      .and(warned('Spring is not active.'))
      .and(events('BasketRepriced', 'AutomaticDiscountDropped'));
    await when(pay()).then(200);
  });

  it('append nothing of their own to a purchase while they have no limit, however many there are', async () => {
    const purchase = async (): Promise<readonly string[]> => {
      const before = (await eventsIn(shop)).length;
      const when = oneShopper();
      for (const step of [...readyToPay(mug), pay()]) await when(step).then(200);
      await shop.settle();
      return (await eventsIn(shop)).slice(before).map(({ type }) => type);
    };
    const without = await purchase();
    for (let n = 1; n <= 5; n++) await shop.rule(`Rule ${n}`, { priority: n, value: n, ...sociable });
    const shown = await shop
      .given(...readyToPay(mug))
      .when(showBasket())
      .then(200);
    expect(shown.body.appliedDiscounts).to.have.length(5);
    const withFive = await purchase();
    // The customer of the second purchase is known: that is all that differs.
    expect(withFive).to.deep.equal(
      without.filter((type) => !['CustomerRegistered', 'ValueClaimed'].includes(type)),
    );
  });
});

/** docs/rules/discounts-in-the-basket.md#codes */
describe('A code for free shipping', () => {
  let shop: TestShop;
  let mug: string;

  beforeEach(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
  });
  afterEach(() => shop.close());

  const ship = (changes: object) =>
    shop.rule('SHIP', {
      method: 'Code',
      code: 'SHIP',
      category: 'FreeShipping',
      value: 0,
      freeShipping: changes,
    });

  it('waits for a shipping to take off', async () => {
    await ship({ countryScope: 'AllCountries' });
    const when = (request: Step) => shop.given().by(shopper).when(request);
    const shopper = shop.shopper();
    await when(add(mug)).then(200);
    await when(applyCode('SHIP'))
      .then(200, { discountDelta: 0 })
      .and(
        body(({ basket }) => {
          expect(basket.appliedDiscounts[0]).to.include({ code: 'SHIP', amount: 0 });
          expect(basket.lineItems).to.have.length(1);
        }),
      );
    await when(initialize())
      .then(200, { warnings: [] })
      .and(
        body(({ basket }) => {
          expect(basket).to.include({ shipping: 5, discount: 5, total: 12 });
          expect(basket.lineItems[1]).to.include({
            discountTarget: 'shipping',
            parentLineItemId: null,
            lineTotal: -5,
          });
        }),
      );
  });

  it('falls with a warning once the shipping that is chosen costs no less by it, and is refused afterwards', async () => {
    await ship({ countryScope: 'SelectedCountries', countryCodes: ['FR'] });
    await shop
      .given(add(mug), applyCode('SHIP'))
      .when(initialize())
      .then(200)
      .and(warned('SHIP does not apply to this basket.'));
    await shop
      .given(add(mug), initialize())
      .when(applyCode('SHIP'))
      .then(400, { success: false, errorCode: 'NoApplicableProducts' });
  });

  it('that waits is not lost without a word when the shop chooses the shipping', async () => {
    await ship({ countryScope: 'SelectedCountries', countryCodes: ['FR'] });
    const shopper = shop.shopper();
    await shop
      .given(add(mug), applyCode('SHIP'), giveAddresses())
      .by(shopper)
      .when(pay())
      .then(400)
      .and(refusedFor('basket-changed'))
      .and(events('ShippingSelected', 'DiscountCodeRemoved'));
    await shop.given().by(shopper).when(pay()).then(200);
  });
});

import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { add, applyCode, estimateShipping, initialize, showBasket } from '#test/support/requests.ts';
import { body, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

describe('GET /basket/estimated-shipping', () => {
  let shop: TestShop;
  let mug: string;
  let heavy: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 5 });
    heavy = await shop.sell('heavy', { price: 20, weightKg: 12 });
    await shop.discount('TENTH', 10);
    const { make, when } = managing(() => shop);
    const { items } = (await when({ method: 'GET', path: '/backoffice/api/v1/warehouses' }).then(200)).body;
    const option = { warehouseId: items[0].id, costs: [{ countryCode: 'GB', cost: 3.5 }] };
    const weightTiers = [{ countryCode: '*', minWeightKg: 10, surcharge: 4 }];
    await make('/shipping-options', { ...option, name: 'Slow', weightTiers });
    await shop.settle();
  });
  after(() => shop.close());

  it('takes the cheapest option of each group, and records nothing', async () => {
    const shopper = shop.shopper();
    const { body: told } = await shop
      .given(add(mug, 2), applyCode('TENTH'))
      .by(shopper)
      .when(estimateShipping())
      .then(200, {
        success: true,
        message: '',
        estimatedShippingTotal: 3.5,
        formattedEstimatedShippingTotal: '£3.50',
        displayEstimatedShippingTotal: 3.5,
        formattedDisplayEstimatedShippingTotal: '£3.50',
        currencySymbol: '£',
        groupCount: 1,
      })
      .and(noNewEvents());
    expect(told.basket).to.include({ subTotal: 20, discount: 2, shipping: 3.5, tax: 3.6, total: 25.1 });
    await shop.given().by(shopper).when(showBasket()).then(200, { shipping: 0, total: 21.6 });
    await shop.given(add(heavy)).when(estimateShipping()).then(200, { estimatedShippingTotal: 5 });
  });

  it('is for the place that is asked for, else where the shopper is', async () => {
    const there = await shop.given(add(mug)).when(estimateShipping('?countryCode=fr')).then(200);
    expect(there.body).to.include({ estimatedShippingTotal: 5 });
    const moved = shop.shopper();
    await shop
      .given(add(mug))
      .by(moved)
      .when(initialize({ countryCode: 'FR' }))
      .then(200);
    await shop.given().by(moved).when(estimateShipping()).then(200, { estimatedShippingTotal: 5 });
    await shop
      .given(add(mug))
      .when(estimateShipping('?countryCode=XX'))
      .then(400, { success: false })
      .and(refusedFor('invalid-request'));
  });

  it('says why there is none', async () => {
    const empty = 'The basket is empty. Add a product first.';
    await shop
      .given()
      .when(estimateShipping())
      .then(200)
      .and(exactly({ success: false, code: 'basket-not-found', message: empty }));
    const { make } = managing(() => shop);
    const serviceRegions = [{ countryCode: 'JP' }];
    const house = await make('/warehouses', { name: 'Kobe', address: { countryCode: 'JP' }, serviceRegions });
    const product = { rootName: 'Fan', sku: 'fan', price: 1, warehouses: [{ warehouseId: house.id }] };
    const { variants } = await make('/products', product);
    await shop.settle();
    await shop
      .given(add(variants[0].id))
      .when(estimateShipping())
      .then(200)
      .and(
        exactly({
          success: false,
          code: 'cannot-ship',
          message: 'Fan cannot be shipped to United Kingdom.',
        }),
      );
  });

  it('is nothing for what is digital', async () => {
    const { make } = managing(() => shop);
    const song = { rootName: 'Song', sku: 'song', price: 1, isDigitalProduct: true };
    const { variants } = await make('/products', song);
    await shop.settle();
    await shop
      .given(add(variants[0].id))
      .when(estimateShipping())
      .then(200, { success: true, estimatedShippingTotal: 0, groupCount: 0 })
      .and(body(({ basket }) => expect(basket).to.include({ shipping: 0, total: 1 })));
  });
});

import { expect } from 'chai';
import type { ApiResponse, Request } from '#test/support/browser.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import {
  changeFirstLine,
  changeLine,
  giveAddresses,
  initialize,
  keyed,
  manage,
  pay,
  payThat,
  post,
  showBasket,
  showShipping,
  takeOut,
  takeOutFirstLine,
  type Step,
} from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const option = (name: string) => idNamed(`option ${name}`);
const value = (name: string) => idNamed(`value ${name}`);
const gold = { optionId: option('wrap'), valueId: value('gold') };
const plain = { optionId: option('wrap'), valueId: value('plain') };
const small = { optionId: option('size'), valueId: value('small') };
const large = { optionId: option('size'), valueId: value('large') };

const wrap = {
  id: option('wrap'),
  name: 'Wrap',
  isVariant: false,
  values: [
    {
      id: gold.valueId,
      name: 'Gold',
      priceAdjustment: 2.5,
      costAdjustment: 1,
      skuSuffix: 'GOLD',
      weightKg: 0.5,
    },
    { id: plain.valueId, name: 'Plain', priceAdjustment: 1 },
  ],
};
const size = {
  id: option('size'),
  name: 'Size',
  isVariant: false,
  isMultiSelect: false,
  values: [
    { id: small.valueId, name: 'Small', priceAdjustment: -3 },
    { id: large.valueId, name: 'Large', priceAdjustment: 2 },
  ],
};
const engraving = {
  id: option('engraving'),
  name: 'Engraving',
  isVariant: false,
  isRequired: true,
  values: [{ id: value('yes'), name: 'Yes', priceAdjustment: 5 }],
};

describe('add-ons', () => {
  let shop: TestShop;
  let mug: string;
  let pen: string;
  let ring: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 50, weightKg: 1, options: [wrap, size] });
    pen = await shop.sell('pen', { price: 1.5 });
    ring = await shop.sell('ring', { price: 50, options: [engraving] });
  });
  after(() => shop.close());

  const addWith = (productId: string, addons: unknown, quantity = 1): Request =>
    post('/api/shop/storefront/basket/add', { productId, quantity, addons });
  const changeAddon = (quantity: number) => (last: ApiResponse) =>
    changeLine({ lineItemId: last.body.lineItems[1].id, quantity });

  it('are lines of their own behind their product, in storefront and checkout alike', async () => {
    const shopper = shop.shopper();
    const { body: basket } = await shop
      .given()
      .by(shopper)
      .when(addWith(mug, [large, gold], 2))
      .then(200, { itemCount: 2, subTotal: 29, tax: 5.8, total: 34.8 })
      .and(events('BasketStarted', 'BasketLineAdded'));
    const [product, wrapping, sized] = basket.lineItems;
    expect(product).to.deep.include({
      productId: mug,
      productRootName: 'Product mug',
      selectedOptions: [],
      quantity: 2,
      lineTotal: 20,
      displayUnitPriceWithAddons: 14.5,
      displayLineTotalWithAddons: 29,
      formattedDisplayUnitPriceWithAddons: '£14.50',
      formattedDisplayLineTotalWithAddons: '£29.00',
      lineItemType: 'Product',
      parentLineItemId: null,
      dependentLineItemSku: null,
    });
    expect(wrapping).to.deep.include({
      ...gold,
      productId: null,
      productRootId: null,
      sku: 'mug-GOLD',
      name: 'Wrap: Gold',
      productRootName: 'Product mug',
      quantity: 2,
      unitPrice: 2.5,
      lineTotal: 5,
      formattedDisplayLineTotal: '£5.00',
      taxRate: 20,
      isTaxable: true,
      lineItemType: 'Addon',
      parentLineItemId: product.id,
      dependentLineItemSku: 'mug',
      dependantLineItemSku: 'mug',
    });
    expect(wrapping).to.not.have.property('displayUnitPriceWithAddons');
    expect(sized).to.include({ sku: `ADDON-${large.valueId.slice(0, 8)}`, lineTotal: 4 });
    const { body: read } = await shopper.basket();
    const { body: begun } = await shopper.initialize();
    for (const shown of [read, begun.basket]) expect(shown.lineItems).to.deep.equal(basket.lineItems);
  });

  it('are named by valueId, choiceId or optionValueId, and what is named twice counts once', async () => {
    const { optionId, valueId } = gold;
    const names = [
      gold,
      { optionId, choiceId: valueId },
      { optionId, valueId: null, optionValueId: valueId },
    ];
    await shop
      .given()
      .when(addWith(mug, names))
      .then(200, { subTotal: 12.5 })
      .and(body(({ lineItems }) => expect(lineItems).to.have.length(2)));
  });

  it('make a line its own, and give it more units when they are the same', async () => {
    await shop
      .given(addWith(mug, [gold, large]), addWith(mug, []), addWith(mug, [plain]))
      .when(addWith(mug, [large, gold], 2))
      .then(200, { itemCount: 5 })
      .and(
        body(({ lineItems }) =>
          expect(lineItems.map(({ quantity }: { quantity: number }) => quantity)).to.deep.equal([
            3, 3, 3, 1, 1, 1,
          ]),
        ),
      )
      .and(events('BasketLineQuantityChanged'));
  });

  it('are added once when the same command comes twice; under its key another choice is refused', async () => {
    const once = keyed('wrapped', addWith(mug, [gold]));
    await shop.given(addWith(pen, []), once).when(once).then(200, { itemCount: 2 }).and(noNewEvents());
    const shopper = shop.shopper();
    await shop
      .given(addWith(pen, []), once)
      .by(shopper)
      .when(keyed('wrapped', addWith(mug, [plain])))
      .then(409);
  });

  it('follow the quantity of their product, and go with it', async () => {
    await shop
      .given(addWith(mug, [gold]))
      .when(changeFirstLine(4))
      .then(200, { itemCount: 4, subTotal: 50 })
      .and(body(({ lineItems }) => expect(lineItems[1]).to.include({ quantity: 4, lineTotal: 10 })));
    for (const leave of [changeFirstLine(0), takeOutFirstLine])
      await shop
        .given(addWith(mug, [gold, large]))
        .when(leave)
        .then(200, { isEmpty: true, lineItems: [] })
        .and(events('BasketLineRemoved'));
  });

  it('are not changed by themselves', async () => {
    const message = 'lineItemId: an add-on follows Product mug. Change the line of the product.';
    const takeOutAddon = (last: ApiResponse) => takeOut(last.body.lineItems[1].id);
    for (const request of [changeAddon(2), changeAddon(0), takeOutAddon])
      await shop
        .given(addWith(mug, [gold]))
        .when(request)
        .then(400, { success: false, message })
        .and(refusedFor('line-is-add-on'))
        .and(noNewEvents());
  });

  const nobody = idNamed('nobody');
  for (const [what, addons, message] of [
    [
      'an option that there is not',
      [{ ...gold, optionId: nobody }],
      `addons: Product mug has no add-on ${nobody}.`,
    ],
    [
      'a value of another option',
      [{ ...gold, valueId: large.valueId }],
      `addons: Wrap has no value ${large.valueId}.`,
    ],
    ['two values of an option that takes one', [small, large], 'addons: Size takes one value only.'],
  ] as const) {
    it(`refuse ${what}`, async () => {
      await shop
        .given()
        .when(addWith(mug, addons))
        .then(400, { success: false, message })
        .and(refusedFor('add-on-invalid'))
        .and(noNewEvents());
    });
  }

  it('refuse a choice where there is none, and none where one is required', async () => {
    const needed = 'addons: Product ring needs a choice of Engraving.';
    await shop
      .given()
      .when(addWith(pen, [gold]))
      .then(400, { message: 'addons: Product pen has no add-ons.' });
    for (const addons of [[], undefined])
      await shop.given().when(addWith(ring, addons)).then(400, { message: needed }).and(noNewEvents());
  });

  for (const [what, addons, field, expected] of [
    ['no list', 'gold', 'addons', 'must be a list'],
    ['null', null, 'addons', 'must be a list'],
    ['an entry that is none', [7], 'addons.0', 'object'],
    ['an entry without an option', [{ valueId: gold.valueId }], 'addons.0.optionId', ''],
    ['an option that is no GUID', [{ ...gold, optionId: 'wrap' }], 'addons.0.optionId', 'GUID'],
    ['an entry without a value', [{ optionId: gold.optionId }], 'addons.0.valueId', 'must be a GUID'],
    ['a value that is no GUID', [gold, { ...gold, valueId: 'gold' }], 'addons.1.valueId', 'GUID'],
    ['a choiceId that is no GUID', [{ optionId: gold.optionId, choiceId: 7 }], 'addons.0.choiceId', ''],
    ['more entries than any product has', Array.from({ length: 201 }, () => gold), 'addons', '200'],
  ] as const) {
    it(`refuse ${what}, naming the field`, async () => {
      await shop
        .given()
        .when(addWith(mug, addons))
        .then(400, { success: false })
        .and(refusedFor('invalid-request'))
        .and(body(({ errors }) => expect(JSON.stringify(errors[field])).to.include(expected)))
        .and(noNewEvents());
    });
  }

  describe('in checkout', () => {
    const ready: readonly Step[] = [giveAddresses(), initialize()];

    it('travel with their product', async () => {
      await shop
        .given(addWith(mug, [gold], 2), ...ready)
        .when(showShipping())
        .then(200)
        .and(
          body(({ shippingGroups: [group] }) =>
            expect(
              group.lineItems.map(({ sku, quantity, amount }: Record<string, unknown>) => [
                sku,
                quantity,
                amount,
              ]),
            ).to.deep.equal([
              ['mug', 2, 20],
              ['mug-GOLD', 2, 5],
            ]),
          ),
        );
    });

    it('are sold with it, at their own price and cost, and not as pieces', async () => {
      const { body: paid } = await shop
        .given(addWith(mug, [gold, small], 2), ...ready, pay())
        .when(payThat())
        .then(200, { success: true });
      await shop.settle();
      const { body: order } = await shop.admin.ask(manage.get(`/orders/${paid.invoiceId}`));
      // 2 x 10.00, 2 x 2.50 and 2 x -3.00, shipping 5.00, 20 %.
      expect(order).to.include({ itemCount: 2, subTotal: 19, tax: 3.8, total: 27.8 });
      const [product, wrapping, sized] = order.orders[0].lineItems;
      expect(product).to.include({ sku: 'mug', lineItemType: 'Product', lineTotal: 20, tax: 2.8 });
      expect(wrapping).to.include({
        ...gold,
        sku: 'mug-GOLD',
        productId: null,
        lineItemType: 'Addon',
        parentLineItemId: product.id,
        quantity: 2,
        lineTotal: 5,
        tax: 1,
        costInStoreCurrency: 1,
      });
      expect(sized).to.include({ lineTotal: -6, tax: 0 });
    });

    it('that have gone are refused, with the line to be chosen again', async () => {
      const lid = {
        id: option('lid'),
        name: 'Lid',
        isVariant: false,
        values: [{ id: value('cork'), name: 'Cork' }],
      };
      const jar = await shop.sell('jar', { price: 4, options: [lid] });
      const shopper = shop.shopper();
      const cork = { optionId: lid.id, valueId: value('cork') };
      for (const step of [addWith(jar, [cork]), giveAddresses(), initialize()])
        expect((await shopper.ask(step as Request)).status).to.equal(200);
      const { items } = (await shop.admin.ask(manage.get('/products?sku=jar'))).body;
      const changed = await shop.admin.ask(manage.put(`/products/${items[0].id}`, { options: [] }));
      expect(changed.status, changed.text).to.equal(200);
      await shop.settle();
      const { body: refused } = await shop
        .given()
        .by(shopper)
        .when(pay())
        .then(400, { success: false })
        .and(refusedFor('items-unavailable'))
        .and(noNewEvents());
      const { body: shown } = await shopper.ask(showBasket());
      const message = 'Product jar has no add-ons. Take Product jar out of the basket and choose again.';
      expect(refused.unavailableItems).to.deep.equal([
        { lineItemId: shown.lineItems[0].id, sku: 'jar', name: 'Product jar', message },
      ]);
    });
  });
});

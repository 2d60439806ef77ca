import { expect } from 'chai';
import { basketContext } from '#command/contexts/basket/basket.context.ts';
import type { BasketCommand } from '#command/contexts/basket/basket.commands.ts';
import { basketDecider } from '#command/contexts/basket/basket.decider.ts';
import type { BasketState, BasketStreamEvent } from '#command/contexts/basket/basket.state.ts';
import type { AddonChoice } from '#command/pricing/addons.ts';
import type { BasketViewLine } from '#events/basket-view.ts';
import { addonNamed, chosen } from '#test/support/builders/addon.ts';
import { idNamed, london, viewOf } from '#test/support/builders/basket.ts';
import { warehousesWith, type Product } from '#test/support/builders/warehouses.ts';
import { given, inContext, type Given } from '#test/support/given.ts';

const wrap = addonNamed('Wrap', { Gold: { priceAdjustment: 250, skuSuffix: 'GOLD' }, Plain: 100 });
const size = addonNamed('Size', { Small: -300, Large: 200 }, { isMultiSelect: false });
const engraving = addonNamed('Engraving', { Yes: 500 }, { isRequired: true });

const mug: Product = { price: 1000, taxRate: 20, options: [wrap, size] };
const shopWith = (products: Readonly<Record<string, Product>>, settings = {}) => {
  const sources = warehousesWith({ east: { options: {} } }, { pen: { price: 150 }, ...products });
  const inForce = { ...sources.settings(), ...settings };
  const context = basketContext({ ...sources, settings: () => inForce });
  return inContext(basketDecider, (state, command) => context(command)(state));
};
const shop = shopWith({ mug });
type Basket = Given<BasketState, BasketCommand, BasketStreamEvent, void>;

const add = (sku: string, quantity: number, ...addons: readonly AddonChoice[]): BasketCommand => ({
  type: 'AddBasketLine',
  productId: idNamed(sku),
  quantity,
  addons,
  startFor: london,
});
const setQuantity = (lineId: string, quantity: number): BasketCommand => ({
  type: 'ChangeBasketLineQuantity',
  lineId,
  quantity,
});
const takeOut = (lineId: string): BasketCommand => ({ type: 'RemoveBasketLine', lineId });

const gold = chosen('Wrap', 'Gold');
const plain = chosen('Wrap', 'Plain');
const small = chosen('Size', 'Small');
const large = chosen('Size', 'Large');

const lineOf = (basket: Basket, place = 0): BasketViewLine =>
  viewOf(basket).lines[place] ?? expect.fail('no such line');
const idOfAddon = (basket: Basket): string => lineOf(basket).addons?.[0]?.lineId ?? expect.fail('no add-on');

const empty = given(shop);
const twoGold = empty.after(add('mug', 2, gold));

describe('add-ons in a basket', () => {
  it('are priced one by one below their product, and taxed at its rate', () => {
    const { lines, totals, itemCount } = viewOf(empty.after(add('mug', 2, gold, large)));
    expect(lines).to.have.length(1);
    expect(lines[0]?.addons).to.have.length(2);
    expect(lines[0]?.addons?.[0]).to.include({
      ...gold,
      sku: 'mug-GOLD',
      name: 'Wrap: Gold',
      unitPrice: 250,
      taxRate: 20,
      tax: 100,
    });
    expect(lines[0]?.addons?.[1]).to.include({ sku: `ADDON-${large.valueId.slice(0, 8)}`, tax: 80 });
    expect(totals).to.include({ subTotal: 2900, tax: 580, total: 3480 });
    expect(itemCount).to.equal(2);
  });

  it('reduce the price of their product when their own price is negative', () => {
    const view = viewOf(empty.after(add('mug', 1, small)));
    expect(view.totals).to.include({ subTotal: 700, tax: 140, total: 840 });
    expect(view.lines[0]).to.include({ unitPrice: 1000, tax: 140 });
    expect(view.lines[0]?.addons?.[0]).to.include({ unitPrice: -300, tax: 0 });
  });

  for (const [what, product, choices, message] of [
    ['of a product that has none', 'pen', [gold], 'addons: pen has no add-ons.'],
    [
      'of an option that it does not have',
      'mug',
      [chosen('Lid', 'Cork')],
      `has no add-on ${idNamed('option Lid')}.`,
    ],
    [
      'of a value that the option does not have',
      'mug',
      [{ ...gold, valueId: large.valueId }],
      'Wrap has no value',
    ],
    ['of two values where one is to be chosen', 'mug', [small, large], 'addons: Size takes one value only.'],
    [
      'of nothing where something is required',
      'ring',
      [],
      'addons: ring needs a choice of Engraving, Stone.',
    ],
  ] as const) {
    it(`refuse a choice ${what}`, () => {
      const stone = addonNamed('Stone', { Ruby: 900 }, { isRequired: true, sortOrder: 1 });
      const withRing = shopWith({ mug, ring: { price: 5000, options: [stone, engraving] } });
      const { message: told } = given(withRing)
        .when(add(product, 1, ...choices))
        .thenRefused('add-on-invalid');
      expect(told).to.include(message);
    });
  }

  it('make a new line of the same product, unless the line has the same add-ons', () => {
    const both = empty.after(add('mug', 1, gold, large), add('mug', 1), add('mug', 2, large, gold, gold));
    const [withAddons, without] = viewOf(both).lines;
    expect(viewOf(both).lines).to.have.length(2);
    expect(withAddons).to.include({ quantity: 3 });
    expect(without).to.include({ quantity: 1 });
    expect(without).to.not.have.property('addons');
    expect(viewOf(both)).to.include({ itemCount: 4 });
  });

  it('keep their ids when more of the same are added', () => {
    const id = idOfAddon(twoGold);
    const more = twoGold.after(add('mug', 3, gold));
    expect(idOfAddon(more)).to.equal(id);
    expect(viewOf(more).totals.subTotal).to.equal(6250);
  });

  it('share the stock of their product across all its lines', () => {
    const scarce = given(shopWith({ mug: { ...mug, stock: { east: 3 } } })).after(add('mug', 2, gold));
    const wanted = { requestedQuantity: 4, availableQuantity: 3 };
    scarce.when(add('mug', 2)).thenRefused('out-of-stock', wanted);
    const three = scarce.after(add('mug', 1));
    three.when(setQuantity(lineOf(three, 1).lineId, 2)).thenRefused('out-of-stock', wanted);
    three
      .when(setQuantity(lineOf(three).lineId, 1))
      .thenLike(['BasketLineQuantityChanged', { itemCount: 2 }]);
  });

  it('follow the quantity of their product', () => {
    const five = twoGold.after(setQuantity(lineOf(twoGold).lineId, 5));
    expect(viewOf(five).totals).to.include({ subTotal: 6250, tax: 1250 });
    expect(lineOf(five).addons?.[0]).to.include({ unitPrice: 250, tax: 250 });
  });

  it('are removed together with their product', () => {
    const { lineId } = lineOf(twoGold);
    for (const command of [takeOut(lineId), setQuantity(lineId, 0)])
      twoGold.when(command).thenLike(['BasketLineRemoved', { itemCount: 0, 'pricing.totals.total': 0 }]);
  });

  it('cannot be changed or removed on their own', () => {
    const addonId = idOfAddon(twoGold);
    for (const command of [setQuantity(addonId, 1), setQuantity(addonId, 0), takeOut(addonId)])
      twoGold.when(command).thenRefused('line-is-add-on');
  });

  it('count as lines', () => {
    const narrow = shopWith({ mug }, { maxBasketLines: 3 });
    given(narrow)
      .when(add('mug', 1, gold, plain, large))
      .thenRefused('basket-full');
    const full = given(narrow).after(add('mug', 1, gold));
    full.when(add('mug', 1, plain)).thenRefused('basket-full');
    full.when(add('mug', 1, gold)).thenLike(['BasketLineQuantityChanged']);
    full.when(add('pen', 1)).thenLike(['BasketLineAdded']);
  });
});

describe('add-ons that change', () => {
  const reprice = { type: 'RepriceBasket', destination: null } as const;

  it('cost today’s price', () => {
    const dearer = shopWith({ mug: { ...mug, options: [addonNamed('Wrap', { Gold: 400 })] } });
    const [event] = twoGold.now(dearer).when(reprice).events();
    expect(event).to.have.nested.property('data.pricing.totals.subTotal', 2800);
  });

  it('freeze the line at its last prices once they are no longer sold, and its quantity cannot grow', () => {
    const without = shopWith({ mug: { ...mug, price: 900, options: [size] } });
    const stale = twoGold.now(without);
    stale.when(reprice).thenNothing();
    stale.when(setQuantity(lineOf(twoGold).lineId, 3)).thenRefused('add-on-invalid');
    stale.when(add('mug', 1, gold)).thenRefused('add-on-invalid');
    stale.when(takeOut(lineOf(twoGold).lineId)).thenLike(['BasketLineRemoved']);
  });

  it('never bring a unit below zero, even when the combination is no longer sold', () => {
    const cheap = addonNamed('Extra', { One: -300, Two: -300 });
    const [one, two] = [chosen('Extra', 'One'), chosen('Extra', 'Two')];
    const basket = given(shopWith({ mug: { price: 600, options: [cheap] } })).after(add('mug', 1, one, two));
    expect(viewOf(basket).totals.total).to.equal(0);
    const either = { ...cheap, isMultiSelect: false };
    basket
      .now(shopWith({ mug: { price: 300, options: [either] } }))
      .when(reprice)
      .thenNothing();
  });
});

import { expect } from 'chai';
import { availableToSell, chooseWarehouses, productAvailability, unitsKey } from '#reference/availability.ts';
import { locationOf } from '#reference/location.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import {
  optionNamed,
  productNamed,
  referenceOf,
  serves,
  warehouseNamed,
} from '#test/support/builders/reference.ts';

const britain = locationOf('GB', null);
const france = locationOf('FR', null);

const shop = referenceOf(
  warehouseNamed('east', [serves('GB')]),
  warehouseNamed('west', [serves('GB'), serves('FR')]),
  optionNamed('parcel east', 'east'),
  optionNamed('parcel west', 'west'),
  productNamed('mug', { shelves: { east: 3, west: 5 } }),
  productNamed('poster', { shelves: { east: null, west: 1 } }),
  productNamed('voucher', { warehouses: ['east'] }),
  productNamed('song', { root: { isDigitalProduct: true }, shelves: { east: 0 } }),
  productNamed('unopened', {
    warehouses: ['east'],
    variant: { stockRows: [{ warehouseId: idNamed('east'), trackStock: true }] },
  }),
);

describe('what can be sold', () => {
  it('is what is in all warehouses of the product', () => {
    expect(availableToSell(shop, shop.sellable('mug'))).to.deep.equal({ isUnlimited: false, available: 8 });
  });

  it('has no limit where a warehouse does not count, there are no rows, or the product is digital', () => {
    for (const sku of ['poster', 'voucher', 'song']) {
      expect(availableToSell(shop, shop.sellable(sku)).isUnlimited, sku).to.equal(true);
    }
  });

  it('is nothing while a row has not been opened', () => {
    expect(availableToSell(shop, shop.sellable('unopened'))).to.deep.equal({
      isUnlimited: false,
      available: 0,
    });
  });
});

describe('the warehouse of a line', () => {
  const choose = (sku: string, quantity: number, place = britain, taken = new Map<string, number>()) =>
    chooseWarehouses(shop, shop.sellable(sku), place, quantity, taken);
  const part = (name: string, quantity: number, isTracked = true) => ({
    warehouseId: idNamed(name),
    quantity,
    isTracked,
  });

  it('is the first that has enough', () => {
    expect(choose('mug', 3)).to.deep.equal({ kind: 'chosen', parts: [part('east', 3)] });
    expect(choose('mug', 4)).to.deep.equal({ kind: 'chosen', parts: [part('west', 4)] });
  });

  it('is several in order when none has enough', () => {
    expect(choose('mug', 7)).to.deep.equal({ kind: 'chosen', parts: [part('east', 3), part('west', 4)] });
    expect(choose('mug', 9)).to.deep.equal({ kind: 'stock', requested: 9, available: 8 });
  });

  it('must serve the place', () => {
    expect(choose('mug', 2, france)).to.deep.equal({ kind: 'chosen', parts: [part('west', 2)] });
    expect(choose('mug', 6, france)).to.deep.equal({ kind: 'stock', requested: 6, available: 5 });
    expect(choose('mug', 1, locationOf('JP', null))).to.deep.equal({ kind: 'destination' });
  });

  it('does not promise to a second line what an earlier one took', () => {
    const taken = new Map<string, number>();
    choose('mug', 3, britain, taken);
    expect(choose('mug', 3, britain, taken)).to.deep.equal({ kind: 'chosen', parts: [part('west', 3)] });
    expect(choose('mug', 3, britain, taken)).to.deep.equal({ kind: 'stock', requested: 3, available: 2 });
  });

  it('counts what the basket has already reserved', () => {
    const held = new Map([[unitsKey(idNamed('mug'), idNamed('east')), -2]]);
    expect(choose('mug', 5, britain, held)).to.deep.equal({ kind: 'chosen', parts: [part('east', 5)] });
  });

  it('takes any number where stock is not tracked', () => {
    expect(choose('poster', 999)).to.deep.equal({ kind: 'chosen', parts: [part('east', 999, false)] });
  });
});

describe('the availability of a product', () => {
  const ask = (sku: string, quantity = 1, place = britain, changes = {}) =>
    productAvailability(shop, shop.sellable(sku), quantity, place, { ...defaultStoreSettings, ...changes });

  it('names the country that it cannot be shipped to', () => {
    expect(ask('mug', 1, locationOf('JP', null))).to.deep.include({
      canShipToLocation: false,
      hasStock: false,
      statusMessage: 'Not available in Japan',
    });
  });

  it('counts what reaches the place', () => {
    expect(ask('mug', 1, france)).to.include({ canShipToLocation: true, availableStock: 5, hasStock: true });
    expect(ask('mug', 6, france)).to.include({ hasStock: false, statusMessage: 'Out of Stock' });
  });

  it('says how many are left only in shops that show it', () => {
    const showStockLevels = true;
    expect(ask('mug').statusMessage).to.equal('In Stock');
    expect(ask('mug', 1, britain, { showStockLevels }).statusMessage).to.equal('Only 8 left');
    expect(ask('mug', 20, britain, { showStockLevels }).statusMessage).to.equal('Only 8 left');
    expect(ask('mug', 1, britain, { showStockLevels, lowStockThreshold: 7 }).statusMessage).to.equal(
      'In Stock',
    );
  });

  it('has no limit for what is not tracked, and never ends for what is digital', () => {
    expect(ask('poster', 999)).to.include({ hasStock: true, availableStock: 0, statusMessage: 'In Stock' });
    expect(ask('song', 999, locationOf('JP', null))).to.include({ canShipToLocation: true, hasStock: true });
  });

  it('is out of stock while a row has not been opened', () => {
    expect(ask('unopened')).to.include({ hasStock: false, statusMessage: 'Out of Stock' });
  });
});

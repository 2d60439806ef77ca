import { addonKey, goodsKey, type AddonChoice } from '#command/pricing/addons.ts';
import type { Offer } from '#command/pricing/basket-prices.ts';
import { unpricedLine, type BasketViewLine } from '#events/basket-view.ts';
import type { ProductOption } from '#events/catalogue.events.ts';
import { slugOf } from '#values/slug.ts';
import { idNamed, lineOf, offer } from './basket.ts';

type Value = ProductOption['values'][number];

/** An option that is an add-on: its values by name, each with what it costs or with more. Several may be chosen. */
export const addonNamed = (
  name: string,
  values: Readonly<Record<string, number | Partial<Value>>>,
  changes: Partial<ProductOption> = {},
): ProductOption => ({
  id: idNamed(`option ${name}`),
  name,
  alias: slugOf(name),
  sortOrder: 0,
  optionTypeAlias: null,
  optionUiAlias: null,
  isVariant: false,
  isMultiSelect: true,
  isRequired: false,
  values: Object.entries(values).map(([value, given], sortOrder) => ({
    id: idNamed(`value ${name} ${value}`),
    name: value,
    fullName: `${name}: ${value}`,
    sortOrder,
    hexValue: null,
    mediaKey: null,
    priceAdjustment: 0,
    costAdjustment: 0,
    skuSuffix: null,
    weightKg: null,
    ...(typeof given === 'number' ? { priceAdjustment: given } : given),
  })),
  ...changes,
});

/** A choice of such an option, by both names. */
export const chosen = (name: string, value: string): AddonChoice => ({
  optionId: idNamed(`option ${name}`),
  valueId: idNamed(`value ${name} ${value}`),
});

/** An add-on by its number, for tests to which its name is nothing. */
export const addonOf = (number: string): AddonChoice => chosen('Add-on', number);

/** A line with these add-ons, not priced yet. */
export const unitsWith = (sku: string, quantity: number, choices: readonly AddonChoice[]): BasketViewLine => {
  const line = lineOf(sku);
  const addons = choices.map((choice) => ({
    ...choice,
    lineId: idNamed(`${line.lineId} ${choice.valueId}`),
    sku: `${sku}-${choice.valueId}`,
    name: choice.valueId,
  }));
  return unpricedLine(addons.length === 0 ? line : { ...line, addons }, quantity);
};

/** What such a line costs: the product, and by their numbers its add-ons. */
export const offersWith = (
  sku: string,
  price: number,
  addons: readonly number[],
  taxRate = 0,
): readonly (readonly [key: string, offer: Offer])[] => {
  const productId = idNamed(sku);
  const choices = Object.keys(addons).map(addonOf);
  return [
    [goodsKey({ productId, addons: choices }), offer(price, taxRate)],
    ...addons.map((cost, index) => [addonKey(productId, addonOf(`${index}`)), offer(cost, taxRate)] as const),
  ];
};

import { suggest, type SuggestionRequest } from '#reference/suggest.ts';
import { suggestionResponses } from '#command/contexts/upsells/suggestion.response.ts';
import { filter } from '#entities/filter.entity.ts';
import type { Upsell } from '#entities/upsell-rule.entity.ts';
import { idNamed, noon } from '#test/support/builders/basket.ts';
import {
  entityCreated,
  productNamed,
  referenceOf,
  serves,
  taxGroupNamed,
  warehouseNamed,
  type StockedProduct,
} from '#test/support/builders/reference.ts';
import { recommends, triggeredBy, upsellNamed } from '#test/support/builders/upsell.ts';
import { locationOf } from '#reference/location.ts';
import { table } from './vector.ts';

const blue = { variant: { filterIds: [idNamed('blue')] } };

const stocked = (sku: string, changes: StockedProduct = {}) =>
  productNamed(sku, { shelves: { east: 10 }, ...changes });

/** A blue mug is in the basket; a pot and a cup are recommended with it, by a rule each. */
const shop = (rule: Partial<Upsell>, pot: StockedProduct) =>
  referenceOf(
    warehouseNamed('east'),
    warehouseNamed('abroad', [serves('FR')]),
    entityCreated(filter, 'blue', { filterGroupId: idNamed('colour') }),
    entityCreated(filter, 'red', { filterGroupId: idNamed('colour') }),
    stocked('mug', blue),
    stocked('cup'),
    stocked('kettle'),
    stocked('pot', { ...blue, ...pot }),
    upsellNamed('pots', {
      priority: 1,
      recommendationRules: [recommends('SpecificProducts', ['pot'])],
      ...rule,
    }),
    upsellNamed('cups', { priority: 2 }),
  );

const request: SuggestionRequest = {
  location: 'Basket',
  now: noon,
  lines: [
    { productId: idNamed('mug'), productRootId: idNamed('root mug'), quantity: 1, unitPrice: 1000 },
    { productId: idNamed('kettle'), productRootId: idNamed('root kettle'), quantity: 1, unitPrice: 9000 },
  ],
  buyer: { customerId: null, segmentIds: [] },
  place: { countryCode: 'GB', regionCode: null },
  limit: 3,
  seed: 0,
};

const recommended = (...skus: readonly string[]) => [recommends('SpecificProducts', skus)];
const asBlue = [recommends('SpecificProducts', ['pot'], { matchTriggerFilters: true })];
const red = { variant: { filterIds: [idNamed('red')] } };
const cannotBeBought = { variant: { filterIds: [idNamed('blue')], canPurchase: false } };
const friends = [{ eligibilityType: 'CustomerSegments' as const, ids: [idNamed('friends')] }];

export const upsellSteps = table(
  'What is suggested? A mug of 10.00 and a kettle of 90.00 are in the basket',
  'docs/rules/upsells.md#steps',
  (rule: Partial<Upsell>, pot: StockedProduct, asked: Partial<SuggestionRequest>) => {
    const found = suggest(shop(rule, pot), { ...request, ...asked });
    const lines = found.map(({ upsell, products }) => {
      const skus = products.map(({ variant }) => variant.sku).join(' and ');
      return `${upsell.rule.name}: ${skus}`;
    });
    return lines.join(', ') || 'nothing';
  },
  [
    ['nothing falls out', 'pots: pot, cups: cup', {}, {}, {}],
    ['1: pots are not shown in the basket', 'cups: cup', { displayLocation: 1 }, {}, {}],
    [
      '1: pots are for after the purchase',
      'cups: cup',
      { checkoutMode: 'PostPurchase' },
      {},
      { location: 'Checkout' },
    ],
    ['1: pots are switched off', 'cups: cup', { status: 'Disabled' }, {}, {}],
    ['2: pots ended a millisecond ago', 'cups: cup', { endsAt: '2030-06-01T11:59:59.999Z' }, {}, {}],
    ['2: pots end now', 'pots: pot, cups: cup', { endsAt: '2030-06-01T12:00:00.000Z' }, {}, {}],
    ['3: pots are for friends', 'cups: cup', { eligibilityRules: friends }, {}, {}],
    [
      '4: pots go with 100.01 and more',
      'cups: cup',
      { triggerRules: [triggeredBy('MinimumCartValue', [], { value: 10001 })] },
      {},
      {},
    ],
    [
      '4: pots go with spoons',
      'cups: cup',
      { triggerRules: [triggeredBy('SpecificProducts', ['spoon'])] },
      {},
      {},
    ],
    ['5: the pot is sold out', 'cups: cup', {}, { shelves: { east: 0 } }, {}],
    ['6: a red pot, blue is asked for', 'cups: cup', { recommendationRules: asBlue }, red, {}],
    ['6: a blue pot, blue is asked for', 'pots: pot, cups: cup', { recommendationRules: asBlue }, {}, {}],
    ['7: the pot is sent in France only', 'cups: cup', {}, { shelves: { abroad: 5 } }, {}],
    ['8: pots recommend the mug', 'cups: cup', { recommendationRules: recommended('mug') }, {}, {}],
    ['9: the pot cannot be bought', 'cups: cup', {}, cannotBeBought, {}],
    [
      '10: one of pot and cup, by name',
      'pots: cup, cups: cup',
      { recommendationRules: recommended('pot', 'cup'), maxProducts: 1, sortBy: 'Name' },
      {},
      {},
    ],
    ['11: pots recommend nothing', 'cups: cup', { recommendationRules: [] }, {}, {}],
    ['12: one suggestion', 'pots: pot', {}, {}, { limit: 1 }],
    ['12: one suggestion, cups first', 'cups: cup', { priority: 3 }, {}, { limit: 1 }],
  ],
);

const priced = (price: number) =>
  referenceOf(
    taxGroupNamed('standard', 20),
    stocked('mug'),
    productNamed('cup', { root: { taxGroupId: idNamed('standard') }, variant: { price } }),
    upsellNamed('cups'),
  );

export const upsellPrices = table(
  'What does a suggestion cost? The store sells in GBP, with 20 % tax',
  'docs/rules/upsells.md#for-shoppers',
  (price: number, currency: string, rate: string, displayPricesIncTax: boolean) => {
    const reference = priced(price);
    const presentation = { storeCurrency: 'GBP', display: { currency, rate }, displayPricesIncTax };
    const view = { reference, presentation, location: locationOf('GB', null) };
    const [cups] = suggestionResponses(view, suggest(reference, request));
    const [cup] = cups?.products ?? [];
    return cup ? `${cup.formattedPrice}, tax ${cup.formattedTaxAmount}` : 'nothing';
  },
  [
    ['4.99 in GBP', '£4.99, tax £0.00', 499, 'GBP', '1', false],
    ['4.99 in GBP with tax', '£5.99, tax £1.00', 499, 'GBP', '1', true],
    ['4.99 in EUR at 1.25', '€6.24, tax €0.00', 499, 'EUR', '1.25', false],
    ['4.99 in EUR at 1.25 with tax', '€7.49, tax €1.25', 499, 'EUR', '1.25', true],
    ['4.99 in JPY at 190', '¥948, tax ¥0', 499, 'JPY', '190', false],
    ['4.99 in JPY at 190 with tax', '¥1,138, tax ¥190', 499, 'JPY', '190', true],
    ['0.02 in EUR at 1.25 with tax', '€0.03, tax €0.01', 2, 'EUR', '1.25', true],
  ],
);

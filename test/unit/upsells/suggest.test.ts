import { expect } from 'chai';
import { suggest, type SuggestionRequest } from '#reference/suggest.ts';
import { customerSegment } from '#entities/customer-segment.entity.ts';
import { filter } from '#entities/filter.entity.ts';
import { supplier } from '#entities/supplier.entity.ts';
import { warehouse } from '#entities/warehouse.entity.ts';
import { idNamed, noon } from '#test/support/builders/basket.ts';
import {
  entityCreated,
  productNamed,
  referenceOf,
  serves,
  warehouseNamed,
  type StockedProduct,
} from '#test/support/builders/reference.ts';
import { recommends, triggeredBy, upsellNamed } from '#test/support/builders/upsell.ts';
import type { GivenEvent } from '#test/support/given.ts';

type Events = readonly (GivenEvent | readonly GivenEvent[])[];

const britain = { countryCode: 'GB', regionCode: null };

const productOf = (sku: string, changes: StockedProduct = {}) =>
  productNamed(sku, { shelves: { east: 10 }, ...changes });

/** A mug of 10.00 is bought; there is a cup of 5.00 beside it. */
const shelf: Events = [
  warehouseNamed('east'),
  productOf('mug', { variant: { price: 1000 }, root: { collectionIds: [idNamed('drinking')] } }),
  productOf('cup', { variant: { price: 500 } }),
];

const line = (sku: string, quantity = 1, unitPrice = 1000) => ({
  productId: idNamed(sku),
  productRootId: idNamed(`root ${sku}`),
  quantity,
  unitPrice,
});

const request: SuggestionRequest = {
  location: 'Basket',
  now: noon,
  lines: [line('mug')],
  buyer: { customerId: null, segmentIds: [] },
  place: britain,
  limit: 3,
  seed: 0,
};

/** By rule, the skus that it suggests. */
const suggested = (events: Events, changes: Partial<SuggestionRequest> = {}) => {
  const reference = referenceOf(...shelf, ...events);
  const found = suggest(reference, { ...request, ...changes });
  return Object.fromEntries(
    found.map(({ upsell, products }) => [upsell.rule.name, products.map(({ variant }) => variant.sku)]),
  );
};

const nothing = {};

describe('suggestions', () => {
  it('are what the rules of a location recommend for a basket', () => {
    expect(suggested([upsellNamed('cups')])).to.deep.equal({ cups: ['cup'] });
    expect(suggested([upsellNamed('cups', { displayLocation: 1 + 4 })])).to.deep.equal(nothing);
    expect(suggested([upsellNamed('cups')], { lines: [] })).to.deep.equal(nothing);
  });

  it('at checkout are never those of rules for after the purchase, which have a place of their own', () => {
    const rules = [
      upsellNamed('later', { checkoutMode: 'PostPurchase' }),
      upsellNamed('now', { checkoutMode: 'OrderBump' }),
    ];
    expect(suggested(rules, { location: 'Checkout' })).to.deep.equal({ now: ['cup'] });
    const after = { location: 'Confirmation', mode: 'PostPurchase' } as const;
    expect(suggested(rules, after)).to.deep.equal({ later: ['cup'] });
  });

  it('come from rules that are active and in force, first and last instant included', () => {
    const dates = { startsAt: '2030-06-01T10:00:00.000Z', endsAt: '2030-06-01T11:00:00.000Z' };
    const at = (time: string) => suggested([upsellNamed('cups', dates)], { now: Date.parse(time) });
    expect(at('2030-06-01T09:59:59.999Z')).to.deep.equal(nothing);
    expect(at('2030-06-01T10:00:00.000Z')).to.deep.equal({ cups: ['cup'] });
    expect(at('2030-06-01T11:00:00.000Z')).to.deep.equal({ cups: ['cup'] });
    expect(at('2030-06-01T11:00:00.001Z')).to.deep.equal(nothing);
    for (const status of ['Draft', 'Disabled', 'Expired'] as const)
      expect(suggested([upsellNamed('cups', { status })])).to.deep.equal(nothing);
  });

  it('are for the segments and the customers that a rule names, any of them', () => {
    const rule = upsellNamed('cups', {
      eligibilityRules: [
        { eligibilityType: 'CustomerSegments', ids: [idNamed('regulars')] },
        { eligibilityType: 'SpecificCustomers', ids: [idNamed('ada')] },
      ],
    });
    const events = [entityCreated(customerSegment, 'regulars', { segmentType: 'Manual' }), rule];
    const to = (customerId: string | null, segmentIds: readonly string[]) =>
      suggested(events, { buyer: { customerId, segmentIds } });
    expect(to(null, [])).to.deep.equal(nothing);
    expect(to(idNamed('bob'), [])).to.deep.equal(nothing);
    expect(to(idNamed('ada'), [])).to.deep.equal({ cups: ['cup'] });
    expect(to(idNamed('bob'), [idNamed('regulars')])).to.deep.equal({ cups: ['cup'] });
  });

  it('come from any trigger, and from no rule without one', () => {
    const by = (...triggerRules: ReturnType<typeof triggeredBy>[]) =>
      suggested([upsellNamed('cups', { triggerRules })]);
    expect(by()).to.deep.equal(nothing);
    expect(by(triggeredBy('Collections', ['eating']))).to.deep.equal(nothing);
    expect(by(triggeredBy('Collections', ['eating', 'drinking']))).to.deep.equal({ cups: ['cup'] });
    expect(by(triggeredBy('SpecificProducts', ['root mug']))).to.deep.equal({ cups: ['cup'] });
    const two = [triggeredBy('SpecificProducts', ['spoon']), triggeredBy('ProductTypes', ['type'])];
    expect(by(...two)).to.deep.equal({ cups: ['cup'] });
  });

  it('follow the value of the basket, bounds included', () => {
    const worth = (triggerType: Parameters<typeof triggeredBy>[0], bounds: object) =>
      suggested([upsellNamed('cups', { triggerRules: [triggeredBy(triggerType, [], bounds)] })], {
        lines: [line('mug', 3)],
      });
    expect(worth('MinimumCartValue', { value: 3000 })).to.deep.equal({ cups: ['cup'] });
    expect(worth('MinimumCartValue', { value: 3001 })).to.deep.equal(nothing);
    expect(worth('MaximumCartValue', { value: 3000 })).to.deep.equal({ cups: ['cup'] });
    expect(worth('MaximumCartValue', { value: 2999 })).to.deep.equal(nothing);
    expect(worth('CartValueBetween', { min: 3000, max: 3000 })).to.deep.equal({ cups: ['cup'] });
    expect(worth('CartValueBetween', { min: 1000, max: 2999 })).to.deep.equal(nothing);
  });

  it('name what suppliers have in their warehouses, as triggers and as recommendations', () => {
    const events = [
      entityCreated(supplier, 'potter', {}),
      entityCreated(warehouse, 'pottery', { address: { countryCode: 'GB' }, supplierId: idNamed('potter') }),
      productOf('bowl', { shelves: { pottery: 3 } }),
      upsellNamed('bowls', { recommendationRules: [recommends('Suppliers', ['potter'])] }),
      upsellNamed('cups', { triggerRules: [triggeredBy('Suppliers', ['potter'])] }),
    ];
    expect(suggested(events)).to.deep.equal({ bowls: ['bowl'] });
    expect(suggested(events, { lines: [line('bowl')] })).to.deep.equal({ cups: ['cup'] });
  });

  it('leave out what is sold out, what cannot be bought, and what no warehouse sends there', () => {
    const of = (changes: StockedProduct, ...more: Events) =>
      suggested([
        ...more,
        productOf('pot', changes),
        upsellNamed('pots', { recommendationRules: [recommends('SpecificProducts', ['pot'])] }),
      ]);
    expect(of({})).to.deep.equal({ pots: ['pot'] });
    expect(of({ shelves: { east: 0 } })).to.deep.equal(nothing);
    expect(of({ shelves: { east: null } })).to.deep.equal({ pots: ['pot'] });
    expect(of({ variant: { canPurchase: false } })).to.deep.equal(nothing);
    expect(of({ variant: { availableForPurchase: false } })).to.deep.equal(nothing);
    const abroad = warehouseNamed('abroad', [serves('FR')]);
    expect(of({ shelves: { abroad: 5 } }, abroad)).to.deep.equal(nothing);
    expect(of({ shelves: { abroad: 5, east: 0 } }, abroad)).to.deep.equal(nothing);
    expect(of({ shelves: {} })).to.deep.equal({ pots: ['pot'] });
  });

  it('leave out what is in the basket, by any variant, unless the rule wants it', () => {
    const rules = (suppressIfInCart: boolean) => [
      upsellNamed('cups', {
        suppressIfInCart,
        recommendationRules: [recommends('SpecificProducts', ['root mug', 'cup'])],
      }),
    ];
    const lines = [{ ...line('mug'), productId: idNamed('another variant of the mug') }];
    expect(suggested(rules(true), { lines })).to.deep.equal({ cups: ['cup'] });
    expect(suggested(rules(false), { lines })).to.deep.equal({ cups: ['cup', 'mug'] });
    const onItsPage = { lines, exceptRootId: idNamed('root mug') };
    expect(suggested(rules(false), onItsPage)).to.deep.equal({ cups: ['cup'] });
  });

  it('are dropped with their rule where no product is left', () => {
    expect(suggested([upsellNamed('none', { recommendationRules: [] })])).to.deep.equal(nothing);
    const gone = upsellNamed('gone', { recommendationRules: [recommends('SpecificProducts', ['spoon'])] });
    expect(suggested([gone, upsellNamed('cups')], { limit: 1 })).to.deep.equal({ cups: ['cup'] });
  });

  it('come by priority, the lowest number first, and no more than a location shows', () => {
    const rules = [
      upsellNamed('third', { priority: 30 }),
      upsellNamed('first', { priority: -1 }),
      upsellNamed('second', { priority: 2 }),
    ];
    expect(Object.keys(suggested(rules))).to.deep.equal(['first', 'second', 'third']);
    expect(Object.keys(suggested(rules, { limit: 2 }))).to.deep.equal(['first', 'second']);
  });
});

describe('products that share the filters of what triggers a rule', () => {
  const group = (name: string, filterGroup: string) =>
    entityCreated(filter, name, { filterGroupId: idNamed(filterGroup) });
  const withFilters = (sku: string, ...filters: readonly string[]) =>
    productOf(sku, { variant: { filterIds: filters.map(idNamed) } });
  const events = [
    group('red', 'colour'),
    group('blue', 'colour'),
    group('wood', 'material'),
    group('steel', 'material'),
    withFilters('red wooden door', 'red', 'wood'),
    withFilters('red steel knob', 'red', 'steel'),
    withFilters('blue wooden knob', 'blue', 'wood'),
    withFilters('red wooden knob', 'red', 'wood'),
    withFilters('plain knob'),
  ];
  const knobs = ['red steel knob', 'blue wooden knob', 'red wooden knob', 'plain knob'];
  const shared = (trigger: object, recommendation: object) =>
    suggested(
      [
        ...events,
        upsellNamed('knobs', {
          triggerRules: [triggeredBy('SpecificProducts', ['red wooden door'], trigger)],
          recommendationRules: [recommends('SpecificProducts', knobs, recommendation)],
        }),
      ],
      { lines: [line('red wooden door')] },
    )['knobs'];

  it('share a value of every group that was extracted', () => {
    expect(shared({}, {})).to.have.members(knobs);
    expect(shared({}, { matchTriggerFilters: true })).to.deep.equal(['red wooden knob']);
    const colour = { extractFilterIds: [idNamed('colour')] };
    expect(shared(colour, { matchTriggerFilters: true })).to.have.members([
      'red steel knob',
      'red wooden knob',
    ]);
  });

  it('share of these only the groups or values that the recommendation names', () => {
    const wooden = { matchTriggerFilters: true, matchFilterIds: [idNamed('wood')] };
    expect(shared({}, wooden)).to.have.members(['blue wooden knob', 'red wooden knob']);
    const unextracted = { matchTriggerFilters: true, matchFilterIds: [idNamed('blue')] };
    expect(shared({}, unextracted)).to.have.members(knobs);
  });
});

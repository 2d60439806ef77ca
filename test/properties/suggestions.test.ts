import { expect } from 'chai';
import fc from 'fast-check';
import { suggest, type SuggestionRequest } from '#reference/suggest.ts';
import { filter } from '#entities/filter.entity.ts';
import { supplier } from '#entities/supplier.entity.ts';
import type { UpsellRecommendation, UpsellTrigger } from '#entities/upsell-parts.ts';
import { upsellRule, type Upsell } from '#entities/upsell-rule.entity.ts';
import { warehouse } from '#entities/warehouse.entity.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { chooseWarehouses, isPurchasable } from '#reference/availability.ts';
import { createReference } from '#reference/create-reference.ts';
import type { Reference, SellableVariant, SoldProduct } from '#reference/reference.ts';
import { streamOf } from '#values/stream-name.ts';
import { displayLocations, namesProducts, type RecommendationType } from '#values/upsells.ts';
import { plainText } from '#values/words.ts';
import { idNamed, noon } from '#test/support/builders/basket.ts';
import { invoice, twoMugs } from '#test/support/builders/invoice.ts';
import {
  applyTo,
  entityCreated,
  productNamed,
  referenceOf,
  serves,
} from '#test/support/builders/reference.ts';
import { upsellOf } from '#test/support/builders/upsell.ts';
import { recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { restartedAll } from '#test/support/restart-part.ts';

const skus = ['mug', 'cup', 'pot', 'pan'] as const;
const things: Readonly<Record<RecommendationType, readonly string[]>> = {
  ProductTypes: ['ware', 'food'],
  ProductFilters: ['blue', 'red', 'large'],
  Collections: ['spring', 'sale'],
  SpecificProducts: [...skus, 'root mug', 'root pot'],
  Suppliers: ['ann', 'ben'],
};
const types = Object.keys(things) as RecommendationType[];
const places = ['GB', 'FR'] as const;

const fixed: readonly GivenEvent[] = [
  entityCreated(supplier, 'ann', {}),
  entityCreated(supplier, 'ben', {}),
  entityCreated(warehouse, 'east', {
    address: { countryCode: 'GB' },
    supplierId: idNamed('ann'),
    serviceRegions: [serves('GB')],
  }),
  entityCreated(warehouse, 'west', { address: { countryCode: 'GB' }, supplierId: idNamed('ben') }),
  entityCreated(filter, 'blue', { filterGroupId: idNamed('colour') }),
  entityCreated(filter, 'red', { filterGroupId: idNamed('colour') }),
  entityCreated(filter, 'large', { filterGroupId: idNamed('size') }),
];

const ids = (names: readonly string[]) =>
  fc.subarray([...names], { minLength: 1 }).map((some) => some.map(idNamed));
const filterIds = fc.constantFrom<string[][]>([], [idNamed('colour')], [idNamed('red'), idNamed('large')]);
const named = fc
  .constantFrom(...types)
  .chain((type) => fc.record({ type: fc.constant(type), ids: ids(things[type]) }));
const noBounds = { value: null, min: null, max: null };

const trigger: fc.Arbitrary<UpsellTrigger> = fc.oneof(
  fc
    .record({ named, extractFilterIds: filterIds })
    .map(({ named: { type, ids: triggerIds }, extractFilterIds }) => ({
      ...noBounds,
      ...{ triggerType: type, triggerIds, extractFilterIds },
    })),
  fc.record({ value: fc.integer({ min: 0, max: 4000 }), extractFilterIds: filterIds }).map((given) => ({
    ...noBounds,
    ...{ triggerType: 'MaximumCartValue' as const, triggerIds: [], ...given },
  })),
);
const recommendation: fc.Arbitrary<UpsellRecommendation> = fc
  .record({ named, matchTriggerFilters: fc.constantFrom(true, true, false), matchFilterIds: filterIds })
  .map(({ named: { type, ids: recommended }, ...rest }) => ({
    recommendationType: type,
    ids: recommended,
    ...rest,
  }));

const rule: fc.Arbitrary<GivenEvent> = fc
  .record({
    name: fc.constantFrom('one', 'two', 'three'),
    status: fc.constantFrom('Active', 'Active', 'Active', 'Disabled'),
    priority: fc.integer({ min: 0, max: 2 }),
    displayLocation: fc.constantFrom(31, 31, 2, 4),
    maxProducts: fc.integer({ min: 1, max: 3 }),
    sortBy: fc.constantFrom('BestSeller', 'PriceLowToHigh', 'PriceHighToLow', 'Name', 'DateAdded'),
    suppressIfInCart: fc.boolean(),
    triggerRules: fc.array(trigger, { minLength: 1, maxLength: 3 }),
    recommendationRules: fc.array(recommendation, { minLength: 1, maxLength: 3 }),
  })
  .map(({ name, ...changes }) => ({
    ...upsellRule.created(upsellOf(name, changes as Partial<Upsell>), '2030-01-01T00:00:00.000Z'),
    stream: streamOf.upsellRule(idNamed(name)),
  }));

const product = fc
  .record({
    sku: fc.constantFrom(...skus),
    price: fc.integer({ min: 1, max: 3 }),
    type: fc.constantFrom(...things.ProductTypes),
    collectionIds: ids(things.Collections),
    filterIds: fc.subarray(things.ProductFilters.map(idNamed), { minLength: 1 }),
    shelf: fc.constantFrom('east', 'west'),
    stock: fc.constantFrom(0, 5, 5, null),
    canPurchase: fc.constantFrom(true, true, true, false),
  })
  .map(({ sku, price, type, collectionIds, filterIds: own, shelf, stock, canPurchase }) =>
    productNamed(sku, {
      shelves: { [shelf]: stock },
      root: { productTypeId: idNamed(type), collectionIds },
      variant: { price, filterIds: own, canPurchase },
    }),
  );
const sale = fc
  .record({ sku: fc.constantFrom(...skus), quantity: fc.integer({ min: 1, max: 3 }) })
  .map(({ sku, quantity }): readonly GivenEvent[] => {
    const [order] = twoMugs().orders;
    const [line] = order?.lines ?? [];
    if (!order || !line) return [];
    const lines = [{ ...line, productId: idNamed(sku), productRootId: idNamed(`root ${sku}`), quantity }];
    const sold = invoice(`sale of ${sku}`, { content: { orders: [{ ...order, lines }] } });
    return [{ ...sold.confirmed(), stream: sold.stream }];
  });
const gone = fc
  .constantFrom(...skus)
  .map((sku): readonly GivenEvent[] => [
    { ...productEvents.create.ProductDeleted({}), stream: streamOf.product(idNamed(`root ${sku}`)) },
  ]);
const happening = fc.oneof(
  product,
  product,
  sale,
  gone,
  rule.map((one) => [one]),
);
const asked = fc.record({
  basket: fc.subarray([...skus], { minLength: 1 }),
  location: fc.constantFrom('Basket', 'ProductPage'),
  countryCode: fc.constantFrom(...places),
  limit: fc.integer({ min: 1, max: 3 }),
});

/** A shop with something in it. */
const opened = fc
  .tuple(fc.array(product, { minLength: 5, maxLength: 8 }), fc.array(rule, { minLength: 4, maxLength: 6 }))
  .map(([products, rules]) => [...products, rules]);

/** The rules as they are written down, step by step, over everything that there is. */
const naively = (reference: Reference, request: SuggestionRequest): readonly string[] => {
  const { catalogue, entities, shipping, unitsSold } = reference;
  const suppliersOf = ({ root }: SellableVariant) =>
    root.warehouses.map(({ warehouseId }) => shipping.warehouse(warehouseId)?.supplierId);
  const isAbout = (
    type: RecommendationType,
    wanted: readonly string[],
    sellable: SellableVariant,
  ): boolean => {
    const { rootId, root, variant } = sellable;
    const own: Readonly<Record<RecommendationType, readonly (string | null | undefined)[]>> = {
      ProductTypes: [root.productTypeId],
      ProductFilters: variant.filterIds,
      Collections: root.collectionIds,
      SpecificProducts: [rootId, variant.id],
      Suppliers: suppliersOf(sellable),
    };
    return wanted.some((one) => own[type].includes(one));
  };
  const bought = request.lines.flatMap(({ productId }) => catalogue.variant(productId) ?? []);
  const worth = request.lines.reduce((sum, { unitPrice, quantity }) => sum + unitPrice * quantity, 0);
  const groupOf = (id: string) => String(entities.find('filter', id)?.['filterGroupId']);
  const fits = (narrow: readonly string[], id: string) =>
    narrow.length === 0 || narrow.includes(id) || narrow.includes(groupOf(id));
  const rank = ({ id, variants, since }: SoldProduct, sort: Upsell['sortBy']): number => {
    const price = Math.min(...variants.filter(isPurchasable).map((variant) => variant.price));
    if (sort === 'BestSeller') return -unitsSold.of(id);
    if (sort === 'DateAdded') return -since;
    return sort === 'PriceLowToHigh' ? price : sort === 'PriceHighToLow' ? -price : 0;
  };
  const productsOf = (one: Upsell): readonly string[] => {
    const triggered = one.triggerRules.map(({ triggerType, triggerIds, value }) => {
      if (namesProducts(triggerType)) return bought.filter((line) => isAbout(triggerType, triggerIds, line));
      return worth <= (value ?? 0) ? bought : [];
    });
    const named = one.triggerRules.some(({ triggerIds }) =>
      request.lines.some(
        ({ productId, productRootId }) =>
          triggerIds.includes(productId) || triggerIds.includes(productRootId),
      ),
    );
    const worthy = one.triggerRules.some(
      ({ triggerType, value }) => !namesProducts(triggerType) && worth <= (value ?? 0),
    );
    if (!named && !worthy && triggered.every((lines) => lines.length === 0)) return [];
    const extracted = triggered.flatMap((lines, place) =>
      lines
        .flatMap(({ variant }) => variant.filterIds)
        .filter((id) => fits(one.triggerRules[place]?.extractFilterIds ?? [], id)),
    );
    const isShared = (
      { variant }: SellableVariant,
      { matchTriggerFilters, matchFilterIds }: UpsellRecommendation,
    ) => {
      const demanded = matchTriggerFilters ? extracted.filter((id) => fits(matchFilterIds, id)) : [];
      return demanded.every((id) =>
        demanded.some((other) => groupOf(other) === groupOf(id) && variant.filterIds.includes(other)),
      );
    };
    return [...catalogue.products()]
      .filter(
        ({ id }) => !one.suppressIfInCart || request.lines.every(({ productRootId }) => productRootId !== id),
      )
      .filter(({ id: rootId, root, variants }) =>
        variants.some((variant) => {
          const sellable = { rootId, root, variant };
          const isWanted = one.recommendationRules.some(
            (wanted) =>
              isAbout(wanted.recommendationType, wanted.ids, sellable) && isShared(sellable, wanted),
          );
          const sent = chooseWarehouses(reference, sellable, request.place, 1, new Map());
          return isWanted && isPurchasable(variant) && sent.kind === 'chosen';
        }),
      )
      .sort((a, b) => {
        const [first, second] = [plainText(a.root.rootName), plainText(b.root.rootName)];
        return rank(a, one.sortBy) - rank(b, one.sortBy) || (first < second ? -1 : 1);
      })
      .slice(0, one.maxProducts)
      .map(({ root }) => root.rootName);
  };
  return [...entities.all('upsellRule')]
    .map(([id, fields]) => ({ id, one: fields as unknown as Upsell }))
    .filter(({ one }) => one.status === 'Active' && one.triggerRules.length > 0)
    .filter(({ one }) => (one.displayLocation & displayLocations[request.location as 'Basket']) !== 0)
    .sort((a, b) => a.one.priority - b.one.priority || (a.id < b.id ? -1 : 1))
    .map(({ one }) => ({ one, products: productsOf(one) }))
    .filter(({ products }) => products.length > 0)
    .slice(0, request.limit)
    .map(({ one, products }) => `${one.name}: ${products.join()}`);
};

describe('suggestions found by indexes', () => {
  it('are those of the rules applied to everything, whatever has happened to rules, products and sales', () => {
    fc.assert(
      fc.property(opened, fc.array(fc.tuple(happening, asked), { maxLength: 15 }), (first, steps) => {
        const reference = referenceOf(fixed);
        let position = 100;
        applyTo(
          reference,
          recordedEvents(first.flat()).map((event) => ({ ...event, position: ++position })),
        );
        for (const [events, { basket, countryCode, ...where }] of steps) {
          const recorded = recordedEvents(events).map((event) => ({ ...event, position: ++position }));
          applyTo(reference, recorded);
          const lines = basket.map((sku) => {
            const line = { productId: idNamed(sku), productRootId: idNamed(`root ${sku}`) };
            return { ...line, quantity: 1, unitPrice: 1000 };
          });
          const request: SuggestionRequest = {
            ...where,
            ...{ lines, now: noon, seed: 0, buyer: { customerId: null, segmentIds: [] } },
            place: { countryCode, regionCode: null },
          };
          const found = (from: Reference) =>
            suggest(from, request).map(
              ({ upsell, products }) =>
                `${upsell.rule.name}: ${products.map(({ root }) => root.rootName).join()}`,
            );
          expect(found(reference)).to.deep.equal(naively(reference, request));
          expect(found(restartedAll(createReference(), reference)), 'restarted').to.deep.equal(
            found(reference),
          );
        }
      }),
      { numRuns: 100 },
    );
  });
});

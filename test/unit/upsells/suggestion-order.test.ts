import { expect } from 'chai';
import { suggest, type SuggestionRequest } from '#reference/suggest.ts';
import type { Upsell } from '#entities/upsell-rule.entity.ts';
import { productEvents } from '#events/catalogue.events.ts';
import type { UpsellSort } from '#values/upsells.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed, noon } from '#test/support/builders/basket.ts';
import { invoice, twoMugs } from '#test/support/builders/invoice.ts';
import { applyTo, productNamed, referenceOf } from '#test/support/builders/reference.ts';
import { recommends, upsellNamed } from '#test/support/builders/upsell.ts';
import { recordedEvents, type GivenEvent } from '#test/support/given.ts';

const drinks = { collectionIds: [idNamed('drinks')] };
const drink = (sku: string, price: number) => productNamed(sku, { root: drinks, variant: { price } });

let sales = 0;

/** One confirmed sale of so many units of each. */
const saleOf = (units: Readonly<Record<string, number>>): GivenEvent => {
  const [order] = twoMugs().orders;
  const [mug] = order?.lines ?? [];
  const lines = Object.entries(units).flatMap(([sku, quantity]) =>
    mug ? [{ ...mug, productId: idNamed(sku), productRootId: idNamed(`root ${sku}`), quantity }] : [],
  );
  const sold = invoice(`sale ${++sales}`, { content: { orders: order ? [{ ...order, lines }] : [] } });
  return { ...sold.confirmed(), stream: sold.stream };
};

const rule = (sortBy: UpsellSort, changes: Partial<Upsell> = {}) =>
  upsellNamed('drinks', { sortBy, recommendationRules: [recommends('Collections', ['drinks'])], ...changes });

const request: SuggestionRequest = {
  location: 'Basket',
  now: noon,
  lines: [{ productId: idNamed('mug'), productRootId: idNamed('root mug'), quantity: 1, unitPrice: 100 }],
  buyer: { customerId: null, segmentIds: [] },
  place: { countryCode: 'GB', regionCode: null },
  limit: 3,
  seed: 0,
};

const shopWith = (sortBy: UpsellSort, changes: Partial<Upsell> = {}) => {
  const reference = referenceOf(
    drink('tea', 300),
    drink('Ale', 500),
    drink('milk', 100),
    rule(sortBy, changes),
  );
  const skus = (seed = 0): readonly string[] =>
    suggest(reference, { ...request, seed }).flatMap(({ products }) =>
      products.map(({ variant }) => variant.sku),
    );
  const happens = (...events: readonly GivenEvent[]): void => applyTo(reference, recordedEvents(events));
  return { skus, happens };
};

describe('the products of a suggestion', () => {
  it('stand in the order that the rule wants, as many as it wants', () => {
    expect(shopWith('PriceLowToHigh').skus()).to.deep.equal(['milk', 'tea', 'Ale']);
    expect(shopWith('PriceHighToLow').skus()).to.deep.equal(['Ale', 'tea', 'milk']);
    expect(shopWith('Name').skus()).to.deep.equal(['Ale', 'milk', 'tea']);
    expect(shopWith('DateAdded').skus()).to.deep.equal(['milk', 'Ale', 'tea']);
    expect(shopWith('Name', { maxProducts: 2 }).skus()).to.deep.equal(['Ale', 'milk']);
  });

  it('stand by units sold from the first sale on, then by name', () => {
    const { skus, happens } = shopWith('BestSeller');
    expect(skus()).to.deep.equal(['Ale', 'milk', 'tea']);
    happens(saleOf({ tea: 2 }));
    expect(skus()).to.deep.equal(['tea', 'Ale', 'milk']);
    happens(saleOf({ milk: 2, Ale: 1 }), saleOf({ milk: 1 }));
    expect(skus()).to.deep.equal(['milk', 'tea', 'Ale']);
  });

  it('come in a different random order for each seed, each once', () => {
    const { skus } = shopWith('Random');
    const orders = new Set(Array.from({ length: 50 }, (_, seed) => skus(seed).join()));
    expect(orders.size).to.be.above(2);
    for (const order of orders) expect(order.split(',')).to.have.members(['tea', 'Ale', 'milk']);
  });

  it('follow what happens to products: prices, collections, deletions', () => {
    const { skus, happens } = shopWith('PriceLowToHigh');
    expect(skus()).to.deep.equal(['milk', 'tea', 'Ale']);
    const { ProductDeleted } = productEvents.create;
    happens(...drink('milk', 400), { ...ProductDeleted({}), stream: streamOf.product(idNamed('root Ale')) });
    expect(skus()).to.deep.equal(['tea', 'milk']);
    happens(...productNamed('tea', { variant: { price: 1 } }), ...drink('cocoa', 200));
    expect(skus()).to.deep.equal(['cocoa', 'milk']);
  });

  it('come once, though several recommendations name them', () => {
    const recommendationRules = [
      recommends('Collections', ['drinks']),
      recommends('SpecificProducts', ['tea', 'root milk']),
    ];
    expect(shopWith('Name', { recommendationRules }).skus()).to.deep.equal(['Ale', 'milk', 'tea']);
  });
});

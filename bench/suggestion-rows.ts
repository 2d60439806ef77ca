import { suggest, type SuggestionRequest } from '#reference/suggest.ts';
import type { UpsellRecommendation, UpsellTrigger } from '#entities/upsell-parts.ts';
import { upsellRule, type Upsell } from '#entities/upsell-rule.entity.ts';
import { newVariant } from '#entities/product.entity.ts';
import { filter } from '#entities/filter.entity.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { warehouse } from '#entities/warehouse.entity.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { derivedId } from '#kernel/ids.ts';
import { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { streamOf } from '#values/stream-name.ts';
import { upsellSorts } from '#values/upsells.ts';
import { whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { seeded } from './shopper.ts';

const at = '2030-01-01T00:00:00.000Z';
const now = Date.parse('2030-06-01T12:00:00.000Z');
const id = (kind: string, index: number): string => derivedId(`bench ${kind}`, index);
const sorts = Object.keys(upsellSorts) as (keyof typeof upsellSorts)[];

const VARIANTS_EACH = 4;
const COLLECTIONS = 50;
const TYPES = 10;
const GROUPS = 5;
const VALUES = 8;
const LINES = 20;

const reference = createReference();
let position = 0;
const happens = (stream: string, event: DomainEvent): void => {
  const recorded = { ...event, stream, position: ++position } as unknown as Recorded;
  for (const part of reference.parts) applyEvent(part, recorded);
};

/** Of each product every fourth variant is sold out. */
const stockProduct = (index: number): void => {
  const warehouseId = id('warehouse', index % 2);
  const variants = Array.from({ length: VARIANTS_EACH }, (_, place) => {
    const number = index * VARIANTS_EACH + place;
    const filterIds = Array.from({ length: GROUPS }, (__, group) =>
      id('filter', group * VALUES + ((index + place * group) % VALUES)),
    );
    return {
      ...newVariant,
      ...{
        id: id('variant', number),
        sku: `BENCH-${number}`,
        name: `Variant ${place}`,
        isDefault: place === 0,
      },
      ...{ price: 300 + ((index * 37 + place * 211) % 9000), url: `/bench-${index}`, filterIds },
      stockRows: [{ warehouseId, trackStock: true }],
    };
  });
  const root = {
    ...{ rootName: `Product ${(index * 7919) % 100_003}`, rootUrl: `bench-${index}`, images: [], tags: [] },
    ...{ description: null, metaDescription: null, pageTitle: null, taxGroupId: null },
    ...{ productTypeId: id('type', index % TYPES), collectionIds: [id('collection', index % COLLECTIONS)] },
    ...{ warehouses: [{ warehouseId, priorityOrder: 0 }], options: [], defaultPackages: [] },
    ...{ isDigitalProduct: false, digitalDeliveryMethod: 'InstantDownload' as const, digitalFileIds: [] },
    ...{ downloadLinkExpiryDays: null, maxDownloadsPerLink: 0, extendedData: {} },
    allowExternalCarrierShipping: true,
  };
  happens(streamOf.product(id('root', index)), productEvents.create.ProductCreated({ root, variants, at }));
  for (const [place, { id: productId, sku }] of variants.entries()) {
    const row = { productId, warehouseId, sku, stock: place === 3 ? 0 : 100, trackStock: true };
    const opened = inventoryEvents.create.StockRowOpened({
      ...row,
      reorderPoint: null,
      reorderQuantity: null,
    });
    happens(streamOf.stock(id('stock', position)), opened);
  }
};

const plain = upsellRule.createBody(() => 'GBP').parse({ name: 'rule', heading: 'Goes with it' });
const trigger = { triggerIds: [], value: null, min: null, max: null, extractFilterIds: [] };
const recommendation = { matchTriggerFilters: false, matchFilterIds: [] };

const putRule = (index: number, changes: Partial<Upsell>): void => {
  const rule = { ...plain, startsAt: at, status: 'Active' as const, priority: index, ...changes };
  happens(streamOf.upsellRule(id('rule', index)), upsellRule.created(rule, at));
};

/** Triggers and recommendations of all kinds, a third of them with filters to share, in all orders. */
const mixed = (index: number): Partial<Upsell> => {
  const triggers: readonly UpsellTrigger[] = [
    { ...trigger, triggerType: 'Collections', triggerIds: [id('collection', index % COLLECTIONS)] },
    { ...trigger, triggerType: 'ProductTypes', triggerIds: [id('type', index % TYPES)] },
    { ...trigger, triggerType: 'ProductFilters', triggerIds: [id('filter', index % (GROUPS * VALUES))] },
    { ...trigger, triggerType: 'CartValueBetween', min: index * 100, max: 500_000 },
  ];
  const recommendations: readonly UpsellRecommendation[] = [
    {
      ...recommendation,
      recommendationType: 'Collections',
      ids: [id('collection', (index * 7) % COLLECTIONS)],
    },
    { ...recommendation, recommendationType: 'ProductTypes', ids: [id('type', (index * 3) % TYPES)] },
    {
      ...recommendation,
      recommendationType: 'ProductFilters',
      ids: [id('filter', index % (GROUPS * VALUES))],
    },
  ];
  const wanted = recommendations[index % 3];
  const chosen = triggers[index % 4];
  return {
    sortBy: sorts[index % sorts.length] ?? 'Name',
    triggerRules: chosen ? [chosen] : [],
    recommendationRules: wanted ? [{ ...wanted, matchTriggerFilters: index % 3 === 0 }] : [],
  };
};

const basketOf = (random: () => number, products: number): SuggestionRequest['lines'] =>
  Array.from({ length: LINES }, () => {
    const index = Math.floor(random() * products);
    return {
      productId: id('variant', index * VARIANTS_EACH),
      productRootId: id('root', index),
      quantity: 1,
      unitPrice: 1000,
    };
  });

const p95 = (work: (turn: number) => void, times: number): number => {
  const took = Array.from({ length: times }, (_, turn) => {
    const begun = performance.now();
    work(turn);
    return performance.now() - begun;
  });
  return took.sort((one, other) => one - other)[Math.floor(times * 0.95)] ?? NaN;
};

const TIMES = 1000;

const figureOf = (work: string, reachMs: number | null, run: (turn: number) => void): Figure => {
  for (let turn = 0; turn < TIMES / 4; turn++) run(turn);
  const measured = p95(run, TIMES);
  return {
    work,
    measured: `p95 ${measured.toPrecision(3)} ms`,
    reach: reachMs === null ? '' : `p95 under ${reachMs} ms`,
    isReached: reachMs === null ? null : measured < reachMs,
  };
};

/** What suggesting costs beside many rules and products: the engine alone, in this process. */
export const measureSuggestions = (bench: Bench, variants: number): Figure[] => {
  const products = Math.floor(variants / VARIANTS_EACH);
  for (const index of [0, 1]) {
    const fields = warehouse
      .createBody(() => 'GBP')
      .parse({
        name: `house ${index}`,
        address: { countryCode: 'GB' },
        serviceRegions: [{ countryCode: 'GB' }],
      });
    happens(streamOf.warehouse(id('warehouse', index)), warehouse.created(fields, at));
  }
  for (let index = 0; index < GROUPS * VALUES; index++) {
    const fields = {
      filterGroupId: id('group', Math.floor(index / VALUES)),
      name: `value ${index}`,
      sortOrder: 0,
      hexColour: null,
      image: null,
    };
    happens(`filter-${id('filter', index)}`, filter.created(fields, at));
  }
  for (let index = 0; index < products; index++) stockProduct(index);
  bench.say(`suggestions: ${whole(products * VARIANTS_EACH)} variants`);
  const random = seeded(1);
  const baskets = Array.from({ length: 200 }, () => basketOf(random, products));
  const ask = (turn: number, lines: SuggestionRequest['lines'], countryCode = 'GB'): number =>
    suggest(reference, {
      ...{ location: 'Basket', now, lines, limit: 3, seed: turn },
      buyer: { customerId: null, segmentIds: [] },
      place: { countryCode, regionCode: null },
    }).length;
  for (let index = 0; index < 100; index++) putRule(index, mixed(index));
  const hundred = figureOf('what 100 active rules suggest for 20 lines', 5, (turn) => {
    if (ask(turn, baskets[turn % baskets.length] ?? []) === 0) throw new Error('nothing was suggested');
  });
  const nowhere = figureOf('the same where nothing can be sent to', null, (turn) => {
    if (ask(turn, baskets[turn % baskets.length] ?? [], 'FR') > 0) throw new Error('something was suggested');
  });
  const [lines = []] = baskets;
  for (let index = 0; index < 2000; index++) {
    const { productRootId = '' } = lines[index % LINES] ?? {};
    const named = index < LINES ? productRootId : id('root', products + index);
    putRule(index, {
      ...mixed(index),
      triggerRules: [{ ...trigger, triggerType: 'SpecificProducts', triggerIds: [named] }],
    });
  }
  const many = figureOf('the same of 2,000 active rules, 20 of which can match', 8, (turn) => {
    if (ask(turn, lines) === 0) throw new Error('nothing was suggested');
  });
  const size = `, ${whole(products * VARIANTS_EACH)} variants`;
  return [hundred, nowhere, many].map((figure) => ({ ...figure, work: figure.work + size }));
};

import type { UpsellRecommendation, UpsellTrigger } from '#entities/upsell-parts.ts';
import { isPurchasable, reachOf, warehousesOf } from './availability.ts';
import { isEligible } from './eligibility.ts';
import type { Place } from './location.ts';
import type {
  UpsellQuery,
  BuyerTraits,
  Reference,
  ReferenceUpsell,
  SellableVariant,
  SoldProduct,
} from './reference.ts';
import { keysOfLine } from '#values/discount-targets.ts';
import type { Minor } from '#values/money.ts';
import { namesProducts } from '#values/upsells.ts';
import { traitsOfSold } from './sold-traits.ts';
import { walkRankedProducts } from './walk-ranked-products.ts';

/** A line being bought, as triggers see it. Custom lines are left out. */
export interface SuggestionLine {
  readonly productId: string;
  readonly productRootId: string;
  readonly quantity: number;
  /** One unit without add-ons: net, in the store's currency. */
  readonly unitPrice: Minor;
}

export interface SuggestionRequest extends Pick<UpsellQuery, 'location' | 'mode' | 'now'> {
  readonly lines: readonly SuggestionLine[];
  readonly buyer: BuyerTraits;
  readonly place: Place;
  /** The most suggestions. */
  readonly limit: number;
  /** The product whose page it is: never suggested. */
  readonly exceptRootId?: string;
  /** A whole number from 0 that determines the order of `Random`. */
  readonly seed: number;
}

/** What a rule suggests: one product or more, in order, each with its recommended variant. */
export interface Suggestion {
  readonly upsell: ReferenceUpsell;
  readonly products: readonly SellableVariant[];
}

export type SuggestionSources = Pick<
  Reference,
  'upsells' | 'recommended' | 'catalogue' | 'entities' | 'shipping' | 'stock'
>;

/** One product being bought, and the ids by which triggers name it. */
interface Bought {
  readonly line: SuggestionLine;
  readonly sellable: SellableVariant | undefined;
  readonly keys: readonly string[];
}

/** By filter group: a product must have one of the values of each. */
type FilterDemands = ReadonlyMap<string, ReadonlySet<string>>;

const suppliersOf = ({ shipping }: SuggestionSources, sellable: SellableVariant): readonly string[] =>
  warehousesOf(sellable).flatMap((id) => shipping.warehouse(id)?.supplierId ?? []);

const boughtOf = (sources: SuggestionSources, line: SuggestionLine): Bought => {
  const sellable = sources.catalogue.variant(line.productId);
  if (!sellable) return { line, sellable, keys: [line.productId, line.productRootId] };
  return { line, sellable, keys: [...keysOfLine(traitsOfSold(sellable)), ...suppliersOf(sources, sellable)] };
};

/** The basket, prepared once for all rules. */
const basketOf = (sources: SuggestionSources, { lines }: SuggestionRequest) => {
  const bought = lines.map((line) => boughtOf(sources, line));
  const byKey = new Map<string, Bought[]>();
  for (const one of bought)
    for (const key of one.keys) {
      const known = byKey.get(key);
      if (known) known.push(one);
      else byKey.set(key, [one]);
    }
  return {
    bought,
    byKey,
    worth: lines.reduce((sum, { unitPrice, quantity }) => sum + unitPrice * quantity, 0),
    rootIds: new Set(lines.map(({ productRootId }) => productRootId)),
  };
};
type Basket = ReturnType<typeof basketOf>;

/** The lines that trigger a rule (step 4): those it names, or all if it names a basket value. */
const triggering = (trigger: UpsellTrigger, { bought, byKey, worth }: Basket): readonly Bought[] => {
  const { triggerType, triggerIds, value, min, max } = trigger;
  if (namesProducts(triggerType)) return triggerIds.flatMap((id) => byKey.get(id) ?? []);
  const [least, most] = triggerType === 'MaximumCartValue' ? [null, value] : [value ?? min, max];
  return worth >= (least ?? 0) && worth <= (most ?? Infinity) ? bought : [];
};

const names = (ids: readonly string[], filterId: string, groupId: string): boolean =>
  ids.length === 0 || ids.includes(filterId) || ids.includes(groupId);

/** The filter values of the lines that trigger a rule (step 6); null if nothing triggers it. */
const extractedBy = (
  { rule }: ReferenceUpsell,
  basket: Basket,
  groupOf: (filterId: string) => string | undefined,
): FilterDemands | null => {
  const extracted = new Map<string, Set<string>>();
  let isTriggered = false;
  for (const trigger of rule.triggerRules) {
    const found = triggering(trigger, basket);
    if (found.length > 0) isTriggered = true;
    for (const { sellable } of found)
      for (const filterId of sellable?.variant.filterIds ?? []) {
        const groupId = groupOf(filterId);
        if (groupId === undefined || !names(trigger.extractFilterIds, filterId, groupId)) continue;
        const values = extracted.get(groupId);
        if (values) values.add(filterId);
        else extracted.set(groupId, new Set([filterId]));
      }
  }
  return isTriggered ? extracted : null;
};

/** The most products examined over all rules, so that one basket never walks a long list of unavailable ones. */
const MOST_LOOKED_AT = 3000;

const noDemands: FilterDemands = new Map();

/** Which of those values a recommendation demands. */
const demandsOf = (
  { matchTriggerFilters, matchFilterIds }: UpsellRecommendation,
  extracted: FilterDemands,
): FilterDemands => {
  if (!matchTriggerFilters) return noDemands;
  if (matchFilterIds.length === 0) return extracted;
  const demands = new Map<string, ReadonlySet<string>>();
  for (const [groupId, values] of extracted) {
    const asked = new Set([...values].filter((filterId) => names(matchFilterIds, filterId, groupId)));
    if (asked.size > 0) demands.set(groupId, asked);
  }
  return demands;
};

const meets = ({ variant }: SellableVariant, demands: FilterDemands): boolean => {
  for (const values of demands.values())
    if (!variant.filterIds.some((filterId) => values.has(filterId))) return false;
  return true;
};

/** Whether a recommendation is about this very variant. */
const isAbout = (
  sources: SuggestionSources,
  { recommendationType: type, ids }: UpsellRecommendation,
  sellable: SellableVariant,
): boolean => {
  const { rootId, root, variant } = sellable;
  switch (type) {
    case 'ProductTypes':
      return ids.includes(root.productTypeId);
    case 'Collections':
      return root.collectionIds.some((id) => ids.includes(id));
    case 'ProductFilters':
      return variant.filterIds.some((id) => ids.includes(id));
    case 'SpecificProducts':
      return ids.includes(rootId) || ids.includes(variant.id);
    case 'Suppliers':
      return suppliersOf(sources, sellable).some((id) => ids.includes(id));
  }
};

/** The first variant that fits, the default before the others. */
const firstVariant = (
  { id: rootId, root, variants }: SoldProduct,
  fits: (sellable: SellableVariant) => boolean,
): SellableVariant | undefined => {
  for (const isDefault of [true, false])
    for (const variant of variants) {
      if (variant.isDefault !== isDefault) continue;
      const sellable = { rootId, root, variant };
      if (fits(sellable)) return sellable;
    }
  return undefined;
};

/** Chooses the variant that a rule may suggest (steps 5 to 9); undefined for none. */
const chooser = (sources: SuggestionSources, basket: Basket, request: SuggestionRequest) => {
  const reaches = reachOf(sources, request.place);
  return (
    { rule }: ReferenceUpsell,
    recommendation: UpsellRecommendation,
    demands: FilterDemands,
    product: SoldProduct,
  ): SellableVariant | undefined => {
    if (product.id === request.exceptRootId) return undefined;
    if (rule.suppressIfInCart && basket.rootIds.has(product.id)) return undefined;
    return firstVariant(
      product,
      (sellable) =>
        isPurchasable(sellable.variant) &&
        isAbout(sources, recommendation, sellable) &&
        meets(sellable, demands) &&
        reaches(sellable),
    );
  };
};

/**
 * Suggestions for what is being bought, in twelve steps (docs/rules/upsells.md#steps). Pure, from reference state. It
 * examines only as many rules, and products of each, as enough suggestions take.
 */
export const suggest = (sources: SuggestionSources, request: SuggestionRequest): readonly Suggestion[] => {
  const { location, mode, now, lines, buyer, limit, seed } = request;
  if (lines.length === 0) return [];
  let known: Basket | null = null;
  const basket = (): Basket => (known ??= basketOf(sources, request));
  const candidates = sources.upsells.candidates({ location, mode, now, keys: () => basket().byKey.keys() });
  if (candidates.length === 0) return [];

  const choose = chooser(sources, basket(), request);
  const groupOf = (filterId: string): string | undefined => {
    const groupId = sources.entities.find('filter', filterId)?.['filterGroupId'];
    return typeof groupId === 'string' ? groupId : undefined;
  };
  const suggestions: Suggestion[] = [];
  const budget = { left: MOST_LOOKED_AT };
  for (const upsell of candidates) {
    if (suggestions.length >= limit || budget.left <= 0) break;
    const extracted = isEligible(upsell.rule, buyer) ? extractedBy(upsell, basket(), groupOf) : null;
    if (extracted === null) continue;
    const wanted = upsell.rule.recommendationRules.map((recommendation) => {
      const demands = demandsOf(recommendation, extracted);
      const take = (product: SoldProduct) => choose(upsell, recommendation, demands, product);
      return { recommendation, demands, take };
    });
    const products = walkRankedProducts(sources, upsell.rule, wanted, { seed, budget });
    if (products.length > 0) suggestions.push({ upsell, products });
  }
  return suggestions;
};

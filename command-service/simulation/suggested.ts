import type { Goods } from '../contexts/basket/basket.actions.ts';
import { suggest, type SuggestionLine } from '#reference/suggest.ts';
import type {
  ClickedSuggestion,
  ShownSuggestion,
} from '../contexts/upsells/upsell-performance/upsell-events.commands.ts';
import { locationOf } from '#reference/location.ts';
import type { Reference, SellableVariant } from '#reference/reference.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { canBeOrdered, drawAddons } from './market.ts';
import type { Visit } from './plan-visits.ts';
import { createChance, seedFrom } from './pure-random.ts';

/** What a visitor is suggested in the basket, and what becomes of it. */
export interface Seen {
  readonly suggestions: readonly ShownSuggestion[];
  readonly clicked: ClickedSuggestion | null;
  /** Put into the basket beside what they came for. */
  readonly taken: Goods | null;
}

export interface SuggestedVisit extends Visit {
  /** Null for those who never look into the basket, or find no suggestion there. */
  readonly seen: Seen | null;
  /** What rules may put into the basket by themselves. */
  readonly addedByItself: readonly Goods[];
}

/** The share of visitors who look at their basket; of these, who click; of these, who take it. */
const LOOKS = 0.7;
const CLICKS = 0.2;
const TAKES = 0.6;
/** More than rules put into a basket. */
const MOST_ADDED = 20;

export interface SuggestingOptions {
  readonly seed: number;
  readonly reference: Reference;
  readonly settings: () => Pick<StoreSettings, 'maxSuggestionsPerLocation'>;
}

/**
 * Works out what the shop suggests to a visit, from what it knows now. Done for all visits before the first one
 * begins, so that suggestions do not depend on a purchase made a moment before.
 */
export const createSuggesting = ({ seed, reference, settings }: SuggestingOptions) => {
  const lineOf = ({ productId, quantity }: Goods): SuggestionLine[] => {
    const sellable = reference.catalogue.variant(productId);
    if (!sellable) return [];
    const { rootId, variant } = sellable;
    return [{ productId, productRootId: rootId, quantity: quantity ?? 1, unitPrice: variant.price }];
  };

  const suggestedFor = ({ person, at }: Visit, goods: readonly Goods[], isByItself: boolean) =>
    suggest(reference, {
      location: isByItself ? 'AutoAdd' : 'Basket',
      now: at,
      lines: goods.flatMap(lineOf),
      buyer: { customerId: null, segmentIds: [] },
      place: locationOf(person.town.countryCode, person.town.regionCode),
      limit: isByItself ? MOST_ADDED : settings().maxSuggestionsPerLocation,
      seed: seedFrom(seed, 'suggestions', at),
    });

  const seenBy = (visit: Visit): Seen | null => {
    const chance = createChance(seedFrom(seed, 'looks at suggestions', visit.number));
    if (!chance.happens(LOOKS)) return null;
    const suggestions = suggestedFor(visit, visit.lines, false);
    if (suggestions.length === 0) return null;
    const { upsell, products } = chance.oneOf(suggestions);
    const chosen = chance.oneOf(products);
    const isClicked = chance.happens(CLICKS);
    const isTaken = isClicked && chance.happens(TAKES) && canBeOrdered(chosen);
    const named = ({ variant, rootId }: SellableVariant) => ({
      productId: variant.id,
      productRootId: rootId,
    });
    return {
      suggestions: suggestions.map((one) => ({
        upsellRuleId: one.upsell.id,
        products: one.products.map(named),
      })),
      clicked: isClicked ? { upsellRuleId: upsell.id, ...named(chosen) } : null,
      taken: isTaken
        ? { productId: chosen.variant.id, addons: drawAddons(chosen, chance), quantity: 1 }
        : null,
    };
  };

  const addedTo = (visit: Visit, goods: readonly Goods[]): readonly Goods[] =>
    reference.upsells.addsByItself()
      ? goods
          .flatMap((_, index) => suggestedFor(visit, goods.slice(0, index + 1), true))
          .flatMap(({ products }) => products)
          .map(({ variant }) => ({ productId: variant.id, addons: [], quantity: 1 }))
      : [];

  return (visit: Visit): SuggestedVisit => {
    const { lines, afterthought, isThroughAgent } = visit;
    const seen = reference.upsells.any() && !isThroughAgent ? seenBy(visit) : null;
    const goods = [...lines, seen?.taken, afterthought].filter((one) => one !== null && one !== undefined);
    return { ...visit, seen, addedByItself: addedTo(visit, goods) };
  };
};

import { addOnOptions } from '#entities/product-options.ts';
import { isPurchasable, productAvailability } from '#reference/availability.ts';
import { locationOf } from '#reference/location.ts';
import { currencyFor, displayRate } from '#reference/presentation.ts';
import type { Reference, SellableVariant } from '#reference/reference.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { towns, type Town } from './people.ts';
import type { Market, WantedGoods } from './plan-visits.ts';
import { createChance, createLottery, seedFrom, shuffled, type Chance } from './pure-random.ts';

/** Codes of the demo store that shoppers hear of; the first one most. */
const KNOWN_CODES = [
  'WELCOME10',
  'TEATIME',
  'BEANS2',
  'SHIPFREE',
  'GIFTS10',
  'FIVEOFF',
  'ORGANIC',
  'CLAYANDPAPER',
];
/** Popularity falls with this power of the rank; the first few ranks are evened out. */
const POWER = 0.9;
const EVEN_RANKS = 3;

export const canBeOrdered = ({ root, variant }: SellableVariant): boolean =>
  // What is downloaded needs an account, and these shoppers are guests.
  isPurchasable(variant) && variant.price > 0 && !root.isDigitalProduct;

/** Every variant of these products that guests can order, in the order of ids. */
export const sellableVariants = (
  reference: Reference,
  productIds: readonly string[],
): readonly SellableVariant[] =>
  productIds
    .flatMap((rootId) => reference.catalogue.product(rootId)?.variants ?? [])
    .flatMap(({ id }) => reference.catalogue.variant(id) ?? [])
    .filter(canBeOrdered)
    .sort((one, other) => (one.variant.id < other.variant.id ? -1 : 1));

/** How often an optional add-on is bought. */
const WANTS_ADDON = 0.25;

export const drawAddons = ({ root }: SellableVariant, chance: Chance): WantedGoods['addons'] =>
  addOnOptions(root)
    .filter(({ isRequired }) => isRequired || chance.happens(WANTS_ADDON))
    .map(({ id, values }) => ({ optionId: id, valueId: chance.oneOf(values).id }));

type Draw = (chance: Chance) => SellableVariant;

/**
 * The store's range, with a few favourites and a long tail chosen by the seed, for the towns to which some of it can
 * be delivered. Throws when there is none.
 */
export const createMarket = (
  seed: number,
  sellables: readonly SellableVariant[],
  reference: Reference,
  settings: StoreSettings,
): Market => {
  const ranked = shuffled(sellables, createChance(seedFrom(seed, 'popularity'))).map((sellable, rank) => {
    const weight = 1 / (rank + EVEN_RANKS) ** POWER;
    return { sellable, weight };
  });
  const draws = new Map<Town, Draw>();
  for (const [town] of towns) {
    const place = locationOf(town.countryCode, town.regionCode);
    const range = ranked.filter(
      ({ sellable }) => productAvailability(reference, sellable, 1, place, settings).canShipToLocation,
    );
    if (range.length === 0) continue;
    draws.set(town, createLottery(range.map(({ sellable, weight }) => [sellable, weight])));
  }
  if (draws.size === 0) {
    const countries = [...new Set(towns.map(([{ countryCode }]) => countryCode))].join(', ');
    throw new Error(
      `The store sells nothing that it delivers to ${countries}, where the shoppers come from.`,
    );
  }
  return {
    towns: towns.filter(([town]) => draws.has(town)),
    drawGoods: (town, chance) => {
      const sellable = (draws.get(town) as Draw)(chance);
      return { productId: sellable.variant.id, addons: drawAddons(sellable, chance) };
    },
    needsAddons: (productId) => {
      const sellable = reference.catalogue.variant(productId);
      return sellable !== undefined && addOnOptions(sellable.root).some(({ isRequired }) => isRequired);
    },
    currencyOf: ({ countryCode }) => {
      const sources = { reference, settings: () => settings };
      const currency = currencyFor(sources, countryCode);
      return displayRate(sources, currency) === null ? null : currency;
    },
    codes: KNOWN_CODES.filter((code) => reference.discounts.byCode(code)?.status === 'Active'),
  };
};

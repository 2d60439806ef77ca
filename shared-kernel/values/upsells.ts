/** What upsell rules are made of (docs/rules/upsells.md#rules). */

/** Where suggestions are shown: flags, of which a rule has any sum. */
export const displayLocations = {
  Checkout: 1,
  Basket: 2,
  ProductPage: 4,
  Email: 8,
  Confirmation: 16,
} as const;
export type DisplayLocation = keyof typeof displayLocations;

/** Shown everywhere. */
export const EVERYWHERE = 31;

export const checkoutModes = { Inline: 0, Interstitial: 1, OrderBump: 2, PostPurchase: 3 } as const;
export type CheckoutMode = keyof typeof checkoutModes;

export const recommendationTypes = {
  ProductTypes: 0,
  ProductFilters: 1,
  Collections: 2,
  SpecificProducts: 3,
  Suppliers: 4,
} as const;
export type RecommendationType = keyof typeof recommendationTypes;

export const triggerTypes = {
  ...recommendationTypes,
  MinimumCartValue: 5,
  MaximumCartValue: 6,
  CartValueBetween: 7,
} as const;
export type TriggerType = keyof typeof triggerTypes;

/** Whether a trigger names products, or else what a basket is worth. */
export const namesProducts = (type: TriggerType): type is RecommendationType => type in recommendationTypes;

export const upsellSorts = {
  BestSeller: 0,
  PriceLowToHigh: 1,
  PriceHighToLow: 2,
  Name: 3,
  DateAdded: 4,
  Random: 5,
} as const;
export type UpsellSort = keyof typeof upsellSorts;

const names = Object.keys(displayLocations) as readonly DisplayLocation[];

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** One location by its name in any case; undefined for any other text. */
export const locationNamed = (text: string): DisplayLocation | undefined =>
  names.find((name) => isSame(name, text));

/** One location by its flag; undefined for any other number, and for a sum. */
export const locationOfFlag = (flag: number): DisplayLocation | undefined =>
  names.find((name) => displayLocations[name] === flag);

/** Whether a rule with these flags is shown there. */
export const isShownAt = (flags: number, location: DisplayLocation): boolean =>
  (flags & displayLocations[location]) !== 0;

/** `3` → `Checkout, Basket`: how a rule says where it is shown. */
export const locationsText = (flags: number): string => {
  if (flags === 0) return 'None';
  return flags === EVERYWHERE ? 'All' : names.filter((name) => isShownAt(flags, name)).join(', ');
};

/** The flags of a text such as `checkout, basket`; undefined where one of its names is unknown. */
export const locationsNamed = (text: string): number | undefined => {
  if (isSame(text.trim(), 'All')) return EVERYWHERE;
  if (isSame(text.trim(), 'None')) return 0;
  const found = text.split(',').map((name) => locationNamed(name.trim()));
  return found.every((name) => name !== undefined)
    ? found.reduce((flags, name) => flags | displayLocations[name], 0)
    : undefined;
};

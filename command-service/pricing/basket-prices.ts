import type { Clock } from '#kernel/clock.ts';
import type { StockHold } from '#events/checkout.events.ts';
import { isAboutPlaces } from '#reference/discount-index.ts';
import type { BasketTraits, Reference, ReferenceDiscount } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { Minor } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { addonKey, chooseAddons, goodsKey, type ChosenGoods } from './addons.ts';
import { traitsIn, type TraitsOf } from './line-traits.ts';
import { estimated, type ProviderTax } from './provider-tax.ts';
import { resolveShippingTax, type ShippingTaxRule } from './shipping-tax.ts';

/** What the shop asks for one unit of a product or of an add-on, net, and the tax on it (percent). */
export interface Offer {
  readonly unitPrice: Minor;
  readonly isTaxable: boolean;
  readonly taxRate: number;
}

/** Everything that pricing a basket needs from outside, gathered before a decision. */
export interface BasketPrices {
  /** The store's currency. */
  readonly currency: string;
  readonly now: number;
  /**
   * By `goodsKey` the product's own price, by `addonKey` those of its add-ons. What is not sold any more, or not with
   * these add-ons, has none.
   */
  readonly offers: ReadonlyMap<string, Offer>;
  /** By id. A rule that does not exist any more is missing. */
  readonly discounts: ReadonlyMap<string, ReferenceDiscount>;
  /** The automatic discounts that such a basket may have. */
  readonly automaticFor: (basket: BasketTraits) => readonly ReferenceDiscount[];
  readonly traitsOf: TraitsOf;
  /** Where it goes. */
  readonly countryCode: string;
  readonly shippingTax: ShippingTaxRule;
  /** Where a provider is to say the tax. */
  readonly providerTax?: ProviderTax;
}

export interface PricesWanted {
  readonly goods: Iterable<ChosenGoods>;
  readonly discountIds: Iterable<string>;
  readonly destination: Destination;
  /** Discounts of which this basket has a use already: that use does not count against it. */
  readonly usedDiscountIds: readonly string[];
  /** What the basket holds in stock: where its lines come from does not depend on it. */
  readonly holds: readonly StockHold[];
  /** What is known of the tax that a provider is to say. */
  readonly providerTax?: ProviderTax | undefined;
}

/** Where prices come from; `CommandDeps` fits. */
export interface PriceSources {
  readonly reference: Reference;
  readonly settings: () => StoreSettings;
  readonly clock: Clock;
  /** Whether a provider determines the tax; default: none is asked. */
  readonly asksForTax?: () => boolean;
}

const gatherOffers = (reference: Reference, { goods, destination }: PricesWanted): Map<string, Offer> => {
  const offers = new Map<string, Offer>();
  for (const one of goods) {
    const sellable = reference.catalogue.variant(one.productId);
    if (sellable === undefined) continue;
    const { chosen } = chooseAddons(sellable.root, one.addons);
    if (chosen === null) continue;
    const { taxGroupId } = sellable.root;
    const isTaxable = taxGroupId !== null;
    const taxRate = taxGroupId === null ? 0 : reference.tax.rate(taxGroupId, destination);
    offers.set(goodsKey(one), { unitPrice: sellable.variant.price, isTaxable, taxRate });
    for (const { option, value } of chosen) {
      const key = addonKey(one.productId, { optionId: option.id, valueId: value.id });
      offers.set(key, { unitPrice: value.priceAdjustment, isTaxable, taxRate });
    }
  }
  return offers;
};

/** Whether an automatic rule, or one that the basket knows, names warehouses or their owners. */
const asksForPlaces = ({ discounts }: Reference, known: ReadonlyMap<string, ReferenceDiscount>): boolean => {
  if (discounts.askForPlaces()) return true;
  for (const { rule } of known.values()) if (isAboutPlaces(rule)) return true;
  return false;
};

/** Today's prices, rates and rules for a basket, from reference state. No I/O. */
export const gatherPrices = (sources: PriceSources, wanted: PricesWanted): BasketPrices => {
  const { reference, settings, clock } = sources;
  const inForce = settings();
  const now = clock.now();
  const discounts = new Map<string, ReferenceDiscount>();
  const { usedDiscountIds: claimed } = wanted;
  const asUsedByOthers = (found: ReferenceDiscount): ReferenceDiscount =>
    claimed.includes(found.id) ? { ...found, uses: found.uses - 1 } : found;
  for (const discountId of wanted.discountIds) {
    const found = reference.discounts.byId(discountId);
    if (found !== undefined) discounts.set(discountId, asUsedByOthers(found));
  }
  return {
    currency: inForce.storeCurrencyCode,
    now,
    offers: gatherOffers(reference, wanted),
    discounts,
    automaticFor: (basket) => {
      const candidates = reference.discounts.candidates(basket, now);
      return claimed.length === 0 ? candidates : candidates.map(asUsedByOthers);
    },
    traitsOf: traitsIn(reference, { ...wanted, asksForPlaces: asksForPlaces(reference, discounts) }),
    countryCode: wanted.destination.countryCode,
    shippingTax: resolveShippingTax(inForce, reference.tax, wanted.destination),
    ...(sources.asksForTax?.() && { providerTax: wanted.providerTax ?? estimated('ShippingAddressMissing') }),
  };
};

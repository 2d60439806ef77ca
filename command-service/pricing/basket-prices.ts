import type { Clock } from '#kernel/clock.ts';
import type { Reference, ReferenceDiscount } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { Minor } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { resolveShippingTax, type ShippingTaxRule } from './shipping-tax.ts';

/** What the shop asks for one unit of a product, net, and the tax on it (percent). */
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
  /** By product id. A product that is not sold any more has none. */
  readonly offers: ReadonlyMap<string, Offer>;
  /** By id. A rule that does not exist any more is missing. */
  readonly discounts: ReadonlyMap<string, ReferenceDiscount>;
  readonly shippingTax: ShippingTaxRule;
}

export interface PricesWanted {
  readonly productIds: Iterable<string>;
  readonly discountIds: Iterable<string>;
  readonly destination: Destination;
  /** Discounts of which this basket has claimed a use already: that use does not count against it. */
  readonly claimedDiscountIds: readonly string[];
}

/** Where prices come from; `CommandDeps` fits. */
export interface PriceSources {
  readonly reference: Reference;
  readonly settings: () => StoreSettings;
  readonly clock: Clock;
}

/** Today's prices, rates and rules for a basket, from reference state. No I/O. */
export const gatherPrices = (
  { reference, settings, clock }: PriceSources,
  wanted: PricesWanted,
): BasketPrices => {
  const inForce = settings();
  const offers = new Map<string, Offer>();
  for (const productId of wanted.productIds) {
    const sellable = reference.catalogue.variant(productId);
    if (sellable === undefined) continue;
    const { taxGroupId } = sellable.root;
    offers.set(productId, {
      unitPrice: sellable.variant.price,
      isTaxable: taxGroupId !== null,
      taxRate: taxGroupId === null ? 0 : reference.tax.rate(taxGroupId, wanted.destination),
    });
  }
  const discounts = new Map<string, ReferenceDiscount>();
  for (const discountId of wanted.discountIds) {
    const found = reference.discounts.byId(discountId);
    if (found === undefined) continue;
    const isClaimed = wanted.claimedDiscountIds.includes(discountId);
    discounts.set(discountId, isClaimed ? { ...found, uses: found.uses - 1 } : found);
  }
  return {
    currency: inForce.storeCurrencyCode,
    now: clock.now(),
    offers,
    discounts,
    shippingTax: resolveShippingTax(inForce, reference.tax, wanted.destination),
  };
};

import type { BasketPrices } from '#command/pricing/basket-prices.ts';
import { traitsFrom, traitsOfUnsold, type TraitsOf } from '#command/pricing/line-traits.ts';
import { priceBasket, type PriceableBasket, type PricedBasket } from '#command/pricing/price-basket.ts';
import { estimated, type ProviderTax, type TaxBasis } from '#command/pricing/provider-tax.ts';
import { resolveShippingTax } from '#command/pricing/shipping-tax.ts';
import { figuresOf } from '#events/basket-view.ts';
import type { Amounts } from '#events/invoice.fields.ts';
import type { TakenDiscount } from '#events/pricing.fields.ts';
import type { Reference, ReferenceDiscount } from '#reference/reference.ts';
import { traitsOfSold } from '#reference/sold-traits.ts';
import { stepOf } from '#values/currency.ts';
import { displayFigures } from '#values/exchange.ts';
import type { Minor } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { SoldOrder } from './sold-order.ts';

/** The one rule that is not as it was. */
export type RuleChange =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'added'; readonly discount: ReferenceDiscount }
  | { readonly kind: 'removed'; readonly discountId: string };

/** The shop as it stood when an order was priced. */
export interface ShopThen {
  readonly reference: Pick<Reference, 'catalogue' | 'discounts' | 'shipping' | 'tax'>;
  readonly settings: () => Pick<StoreSettings, 'isShippingTaxable' | 'shippingTaxGroupId'>;
}

/** Uses so far, as they would be with the change. */
export interface UsesSoFar {
  inAll(discount: ReferenceDiscount): number;
  byCustomer(discountId: string, customerId: string | null): number;
}

export interface RepricedOrder {
  readonly shown: Amounts;
  readonly inStoreCurrency: Amounts;
  /** What each discount takes off, in the store's currency. */
  readonly takenOff: ReadonlyMap<string, Minor>;
  /** The rules among them, each once. */
  readonly rules: ReadonlySet<string>;
}

/** What targets may name of the lines: what they were then, and where they were sent from. */
const traitsThen =
  ({ catalogue, shipping }: ShopThen['reference'], { sentFrom }: SoldOrder): TraitsOf =>
  (lines) =>
    new Map(
      lines.map((line) => {
        const sellable = catalogue.variant(line.productId);
        if (sellable === undefined) return [line.lineId, [traitsOfUnsold(line)]];
        const sold = traitsOfSold(sellable);
        const places = line.isDigital ? [] : (sentFrom.get(line.lineId) ?? []);
        const traits = places.map((id) => traitsFrom(sold, id, shipping.warehouse(id)?.supplierId ?? null));
        return [line.lineId, traits.length === 0 ? [sold] : traits];
      }),
    );

/** Which rules there are for an order, with the uses that others have of them. */
const rulesFor = (
  { basket }: SoldOrder,
  { reference: { discounts } }: ShopThen,
  change: RuleChange,
  uses: UsesSoFar,
) => {
  const isGone = (id: string): boolean => change.kind === 'removed' && change.discountId === id;
  const used = (found: ReferenceDiscount): ReferenceDiscount => ({
    ...found,
    uses: uses.inAll(found) - (basket.order?.discountIds.includes(found.id) ? 1 : 0),
  });
  const added = change.kind === 'added' ? [used(change.discount)] : [];
  const byId = (id: string): ReferenceDiscount | undefined => {
    const found = isGone(id) ? undefined : discounts.byId(id);
    return found ?? added.find((one) => one.id === id);
  };
  return { isGone, used, added, byId };
};

/** What the order's price depends on, as it was then; `usedUp` are rules that its customer may not use any more. */
const pricesThen = (
  sold: SoldOrder,
  shop: ShopThen,
  rules: ReturnType<typeof rulesFor>,
  usedUp: ReadonlySet<string>,
): BasketPrices => {
  const { reference, settings } = shop;
  const { isGone, used, added, byId } = rules;
  const { destination } = sold.basket;
  const mayBeUsed = ({ id }: ReferenceDiscount): boolean => !usedUp.has(id);
  return {
    currency: sold.storeCurrency,
    now: sold.at,
    // Lines keep the prices and rates that they were sold at.
    offers: new Map(),
    discounts: new Map(
      sold.basket.codes.flatMap(({ discountId }) => {
        const found = byId(discountId);
        return found ? [[discountId, used(found)] as const] : [];
      }),
    ),
    automaticFor: (traits) => [
      ...reference.discounts
        .candidates(traits, sold.at)
        .filter((one) => !isGone(one.id) && mayBeUsed(one))
        .map(used),
      ...added.filter(mayBeUsed),
    ],
    traitsOf: traitsThen(reference, sold),
    countryCode: destination.countryCode,
    shippingTax: resolveShippingTax(settings(), reference.tax, destination),
  };
};

const basketOf = (
  { basket, lines, shipping, shippingOptions }: SoldOrder,
  { isGone }: ReturnType<typeof rulesFor>,
  usedUp: ReadonlySet<string>,
): PriceableBasket => ({
  lines,
  codes: basket.codes.filter(({ discountId }) => !isGone(discountId) && !usedUp.has(discountId)),
  suppressed: basket.suppressed,
  referrals: basket.referrals,
  buyer: basket.buyer,
  shipping,
  shippingOptions,
});

/** What a provider has said of the tax on just this. Its amounts are in the currency of the invoice. */
const providerTaxOf = (sold: SoldOrder, basis: TaxBasis): ProviderTax => ({
  kind: 'answered',
  basis,
  destination: sold.basket.destination,
  answer: {
    lines: sold.lines
      .flatMap((line) => [line, ...(line.addons ?? [])])
      .map(({ lineId, taxRate, isTaxable, tax }) => ({ lineId, taxRate, isTaxable, tax })),
    shippingTax: sold.shippingTax,
    isEstimated: false,
  },
});

const takenOffIn = (discounts: readonly TakenDiscount[]): Map<string, Minor> => {
  const takenOff = new Map<string, Minor>();
  for (const { discountId, amount } of discounts)
    takenOff.set(discountId, (takenOff.get(discountId) ?? 0) + amount);
  return takenOff;
};

export const isSameTakenOff = (one: ReadonlyMap<string, Minor>, other: ReadonlyMap<string, Minor>): boolean =>
  one.size === other.size && [...one].every(([id, amount]) => other.get(id) === amount);

/**
 * The provider's tax holds for the amounts that were sold and for no others: where a change moves them, its rates are
 * taken, and the shop's own rule for shipping.
 */
const priced = (sold: SoldOrder, basket: PriceableBasket, prices: BasketPrices): PricedBasket => {
  if (!sold.basket.isTaxedByProvider) return priceBasket(basket, prices);
  const byRates = priceBasket(basket, { ...prices, providerTax: estimated('BasketChanged') });
  const { taxBasis, pricing } = byRates;
  const isAsSold = isSameTakenOff(takenOffIn(pricing.discounts), sold.recorded.takenOff);
  if (!isAsSold || taxBasis === undefined || sold.display.currency !== sold.storeCurrency) return byRates;
  return priceBasket(basket, { ...prices, providerTax: providerTaxOf(sold, taxBasis) });
};

/** One that falls may let in another that is used up. */
const MOST_ROUNDS = 5;

const usedUpAmong = (
  taken: readonly TakenDiscount[],
  { customerId, basket }: SoldOrder,
  { byId }: ReturnType<typeof rulesFor>,
  uses: UsesSoFar,
): string[] =>
  [...new Set(taken.map(({ discountId }) => discountId))].filter((id) => {
    const limit = byId(id)?.rule.perCustomerUsageLimit ?? null;
    if (limit === null) return false;
    const own = basket.order?.discountIds.includes(id) ? 1 : 0;
    return uses.byCustomer(id, customerId) - own >= limit;
  });

/**
 * What an order would have come to by the rules that there were, but for the one that is changed. Its goods, their
 * prices and rates, and its shipping are those that were sold (docs/rules/what-if.md#recalculation).
 */
export const reprice = (
  sold: SoldOrder,
  shop: ShopThen,
  change: RuleChange,
  uses: UsesSoFar,
): RepricedOrder => {
  const rules = rulesFor(sold, shop, change, uses);
  const usedUp = new Set<string>();
  let pricing: PricedBasket['pricing'];
  for (let round = 0; ; round++) {
    ({ pricing } = priced(sold, basketOf(sold, rules, usedUp), pricesThen(sold, shop, rules, usedUp)));
    const found = usedUpAmong(pricing.discounts, sold, rules, uses);
    if (found.length === 0 || round === MOST_ROUNDS) break;
    for (const id of found) usedUp.add(id);
  }
  const { storeCurrency, display } = sold;
  const figures = figuresOf(pricing);
  const shown = displayFigures(figures, storeCurrency, display);
  return {
    shown,
    // A currency that is paid in steps of several units has every amount in them.
    inStoreCurrency: display.currency === storeCurrency && stepOf(storeCurrency) > 1 ? shown : figures,
    takenOff: takenOffIn(pricing.discounts),
    rules: new Set(pricing.discounts.flatMap((one) => (one.isReferral ? [] : [one.discountId]))),
  };
};

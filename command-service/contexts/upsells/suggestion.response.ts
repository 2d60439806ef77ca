import { shownAmount } from '#contracts/basket-line-response.ts';
import type { SuggestedProduct, SuggestedVariant, SuggestionResponse } from '#contracts/upsells.contract.ts';
import { isPurchasable, reachOf } from '#reference/availability.ts';
import type { Location } from '#reference/location.ts';
import { imageOf } from '#reference/product-image.ts';
import type { Reference, SellableVariant } from '#reference/reference.ts';
import { displayTax, type Presentation } from '#values/exchange.ts';
import { formatMoney, toDecimal, type Minor } from '#values/money.ts';
import type { Suggestion } from '#reference/suggest.ts';

export interface SuggestionView {
  readonly reference: Reference;
  readonly presentation: Presentation;
  /** The destination: its rates give prices with tax, and only what can be shipped there can be bought. */
  readonly location: Location;
}

/** The most variants shown of one product. */
const MOST_VARIANTS = 200;

interface Shown {
  readonly view: SuggestionView;
  readonly reaches: ReturnType<typeof reachOf>;
}

const priced = ({ presentation: { display } }: SuggestionView, price: Minor) => ({
  price: toDecimal(price, display.currency),
  formattedPrice: formatMoney(price, display.currency),
});

const canBeBought = ({ reaches }: Shown, sellable: SellableVariant): boolean =>
  isPurchasable(sellable.variant) && reaches(sellable);

const compareTexts = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** All variants to choose from: the recommended one, then the default, then by name. */
const variantsOf = (shown: Shown, recommended: SellableVariant, taxRate: number): SuggestedVariant[] => {
  const { view } = shown;
  const { rootId, root } = recommended;
  const all = (view.reference.catalogue.product(rootId)?.variants ?? []).filter(isPurchasable);
  if (all.length < 2) return [];
  const placeOf = ({ id, isDefault }: (typeof all)[number]): number =>
    id === recommended.variant.id ? 0 : isDefault ? 1 : 2;
  return all
    .toSorted(
      (one, other) =>
        placeOf(one) - placeOf(other) ||
        compareTexts(one.name, other.name) ||
        compareTexts(one.sku, other.sku),
    )
    .slice(0, MOST_VARIANTS)
    .map((variant) => ({
      productId: variant.id,
      name: variant.name,
      sku: variant.sku,
      ...priced(view, shownAmount(variant.price, taxRate, view.presentation)),
      availableForPurchase: canBeBought(shown, { rootId, root, variant }),
    }));
};

const productOf = (shown: Shown, recommended: SellableVariant): SuggestedProduct => {
  const { presentation, reference, location } = shown.view;
  const { storeCurrency, display, displayPricesIncTax } = presentation;
  const { rootId, root, variant } = recommended;
  const taxRate = reference.tax.rate(root.taxGroupId, location);
  const includesTax = displayPricesIncTax && taxRate > 0;
  const tax = includesTax ? displayTax(variant.price, taxRate, storeCurrency, display) : 0;
  const onSale = variant.onSale && variant.previousPrice !== null;
  const previous = onSale ? shownAmount(variant.previousPrice ?? 0, taxRate, presentation) : null;
  const typeName = reference.entities.find('productType', root.productTypeId)?.['name'];
  const variants = variantsOf(shown, recommended, taxRate);
  return {
    productId: variant.id,
    productRootId: rootId,
    name: root.rootName,
    sku: variant.sku,
    ...priced(shown.view, shownAmount(variant.price, taxRate, presentation)),
    priceIncludesTax: includesTax,
    taxRate,
    taxAmount: toDecimal(tax, display.currency),
    formattedTaxAmount: formatMoney(tax, display.currency),
    onSale,
    previousPrice: previous === null ? null : toDecimal(previous, display.currency),
    formattedPreviousPrice: previous === null ? null : formatMoney(previous, display.currency),
    url: variant.url,
    imageUrl: imageOf(recommended),
    productTypeName: typeof typeName === 'string' ? typeName : null,
    availableForPurchase: canBeBought(shown, recommended),
    hasVariants: variants.length > 0,
    variants,
  };
};

/** Suggestions in the shopper's currency (docs/rules/upsells.md#for-shoppers). */
export const suggestionResponses = (
  view: SuggestionView,
  suggestions: readonly Suggestion[],
): SuggestionResponse[] => {
  const shown: Shown = { view, reaches: reachOf(view.reference, view.location) };
  return suggestions.map(({ upsell: { id, rule }, products }) => ({
    upsellRuleId: id,
    heading: rule.heading,
    message: rule.message,
    checkoutMode: rule.checkoutMode,
    defaultChecked: rule.defaultChecked,
    displayStyles: rule.displayStyles,
    products: products.map((recommended) => productOf(shown, recommended)),
  }));
};

import { shownAmount } from '#contracts/basket-line-response.ts';
import type { ShopCard, ShopProduct } from '#contracts/shop-products.contract.ts';
import { addOnOptions, variantOptions } from '#entities/product-options.ts';
import type { ProductOption, ProductVariant } from '#events/catalogue.events.ts';
import { availableToSell, productAvailability } from '#reference/availability.ts';
import type { Location } from '#reference/location.ts';
import { isPurchasable } from '#reference/availability.ts';
import { imageOf } from '#reference/product-image.ts';
import type { Reference, SoldProduct } from '#reference/reference.ts';
import { decimalsOf, symbolOf } from '#values/currency.ts';
import { displayTax, type Presentation } from '#values/exchange.ts';
import { MAX_AMOUNT, formatMoney, toDecimal, type Minor } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { filtersNamed, nameIn, type ShopNames } from './shop-names.ts';

/** How products are shown to one shopper. */
export interface ShopView {
  readonly reference: Reference;
  readonly settings: StoreSettings;
  readonly presentation: Presentation;
  readonly location: Location;
}

const taxRateOf = ({ reference, location }: ShopView, taxGroupId: string | null): number =>
  reference.tax.rate(taxGroupId, location);

const shownPrice = (view: ShopView, price: Minor, taxRate: number): Minor =>
  shownAmount(price, taxRate, view.presentation);

export const currencyShown = ({ presentation }: ShopView) => ({
  currencyCode: presentation.display.currency,
  currencySymbol: symbolOf(presentation.display.currency),
  displayPricesIncTax: presentation.displayPricesIncTax,
});

/** The lowest price of the store that is shown as this much or more; shown prices grow with those of the store. */
const lowestShownAs = (shown: (price: Minor) => Minor, least: number): Minor => {
  let low = 0;
  let high = MAX_AMOUNT + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (shown(middle) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Bounds on the price, as shown; left out: none. */
export interface AmountBounds {
  readonly min?: Minor | undefined;
  readonly max?: Minor | undefined;
}

/** These amounts as prices of the store, which depend on the tax that is shown. */
export const boundsOfAmounts = (view: ShopView, { min, max }: AmountBounds) => {
  if (min === undefined && max === undefined) return undefined;
  const byRate = new Map<number, { readonly from: Minor; readonly to: Minor }>();
  return (taxGroupId: string | null) => {
    const rate = view.presentation.displayPricesIncTax ? taxRateOf(view, taxGroupId) : 0;
    const known = byRate.get(rate);
    if (known) return known;
    const shown = (price: Minor): Minor => shownPrice(view, price, rate);
    const bounds = {
      from: min === undefined ? 0 : lowestShownAs(shown, min),
      to: max === undefined ? MAX_AMOUNT : lowestShownAs(shown, max + 1) - 1,
    };
    byRate.set(rate, bounds);
    return bounds;
  };
};

/** Prices between which the shopper wants to buy, in units of the currency as it is written. */
export const priceBoundsOf = (view: ShopView, minPrice: number | undefined, maxPrice: number | undefined) => {
  const unit = 10 ** decimalsOf(view.presentation.display.currency);
  return boundsOfAmounts(view, {
    min: minPrice === undefined ? undefined : Math.ceil(minPrice * unit - 1e-6),
    max: maxPrice === undefined ? undefined : Math.floor(maxPrice * unit + 1e-6),
  });
};

/** A price of the store as it is shown for goods of a tax group. */
export const priceShownIn = (view: ShopView, price: Minor, taxGroupId: string | null): Minor =>
  shownPrice(view, price, taxRateOf(view, taxGroupId));

export const hasPreviousPrice = ({ onSale, previousPrice }: ProductVariant): boolean =>
  onSale && previousPrice !== null;

/** What it cost before, while it is on sale. */
const previousOf = (view: ShopView, variant: ProductVariant | undefined, taxRate: number) => {
  const before = variant && hasPreviousPrice(variant) ? variant.previousPrice : null;
  if (before === null) return { previousPrice: null, formattedPreviousPrice: null };
  const { currency } = view.presentation.display;
  const shown = shownPrice(view, before, taxRate);
  return { previousPrice: toDecimal(shown, currency), formattedPreviousPrice: formatMoney(shown, currency) };
};

/** A card shows so many pictures. */
const MAX_IMAGES = 3;

const firstImages = (root: SoldProduct['root'], sold: readonly ProductVariant[]): string[] => {
  const images = new Set(root.images.slice(0, MAX_IMAGES));
  for (const variant of sold) {
    if (images.size >= MAX_IMAGES) break;
    for (const image of variant.images) images.add(image);
  }
  return [...images].slice(0, MAX_IMAGES);
};

export const cardOf = (view: ShopView, { id, root, variants }: SoldProduct): ShopCard => {
  const { currency } = view.presentation.display;
  const sold = variants.filter(isPurchasable);
  const images = firstImages(root, sold);
  const filterIds = [...new Set(sold.flatMap((variant) => variant.filterIds))];
  const rate = taxRateOf(view, root.taxGroupId);
  const prices = sold.map(({ price }) => price);
  const [lowest, highest] = [Math.min(...prices), Math.max(...prices)];
  const [priceFrom, priceTo] = [shownPrice(view, lowest, rate), shownPrice(view, highest, rate)];
  const cheapest = sold.filter(({ price }) => price === lowest);
  const isAvailable = sold.some((variant) => {
    const { isUnlimited, available } = availableToSell(view.reference, { rootId: id, root, variant });
    return isUnlimited || available > 0;
  });
  return {
    productRootId: id,
    name: root.rootName,
    url: root.rootUrl,
    image: images[0] ?? null,
    images,
    productTypeName: nameIn(view.reference, 'productType', root.productTypeId),
    priceFrom: toDecimal(priceFrom, currency),
    priceTo: toDecimal(priceTo, currency),
    formattedPrice:
      priceFrom === priceTo
        ? formatMoney(priceFrom, currency)
        : `${formatMoney(priceFrom, currency)} – ${formatMoney(priceTo, currency)}`,
    ...previousOf(view, cheapest.find(hasPreviousPrice), rate),
    onSale: sold.some(hasPreviousPrice),
    isAvailable,
    filterIds,
    filters: filtersNamed(view.reference, filterIds),
  };
};

const bySortOrder = (one: { sortOrder: number }, other: { sortOrder: number }): number =>
  one.sortOrder - other.sortOrder;

const optionOf = ({ id, name, alias, sortOrder, optionTypeAlias, optionUiAlias }: ProductOption) => ({
  id,
  name,
  alias,
  sortOrder,
  optionTypeAlias,
  optionUiAlias,
});

const valueOf = ({ id, name, fullName, sortOrder, hexValue, mediaKey }: ProductOption['values'][number]) => ({
  id,
  name,
  fullName,
  sortOrder,
  hexValue,
  mediaKey,
});

const addOnOf = (view: ShopView, option: ProductOption, taxRate: number): ShopProduct['addOns'][number] => {
  const { currency } = view.presentation.display;
  return {
    ...optionOf(option),
    isMultiSelect: option.isMultiSelect,
    isRequired: option.isRequired,
    values: option.values.toSorted(bySortOrder).map((value) => {
      const shown = shownPrice(view, value.priceAdjustment, taxRate);
      return {
        ...valueOf(value),
        priceAdjustment: toDecimal(shown, currency),
        formattedPriceAdjustment: formatMoney(shown, currency),
      };
    }),
  };
};

const variantOf = (
  view: ShopView,
  { id, root }: SoldProduct,
  variant: ProductVariant,
  taxRate: number,
): ShopProduct['variants'][number] => {
  const { reference, settings, location, presentation } = view;
  const { currency } = presentation.display;
  const price = shownPrice(view, variant.price, taxRate);
  const includesTax = presentation.displayPricesIncTax && taxRate > 0;
  const tax = displayTax(variant.price, taxRate, presentation.storeCurrency, presentation.display);
  const sellable = { rootId: id, root, variant };
  return {
    productId: variant.id,
    sku: variant.sku,
    name: variant.name,
    url: variant.url,
    isDefault: variant.isDefault,
    selectedOptions: variant.selectedOptions,
    image: imageOf({ root, variant }),
    images: variant.images,
    filterIds: variant.filterIds,
    filters: filtersNamed(reference, variant.filterIds),
    price: toDecimal(price, currency),
    formattedPrice: formatMoney(price, currency),
    ...previousOf(view, variant, taxRate),
    onSale: hasPreviousPrice(variant),
    priceIncludesTax: includesTax,
    taxRate,
    taxAmount: includesTax ? toDecimal(tax, currency) : 0,
    availability: productAvailability(reference, sellable, 1, location, settings),
  };
};

/** The texts of a product's page, which reference state leaves out. */
export type PageTexts = Pick<ShopProduct, 'description' | 'metaDescription' | 'pageTitle'>;

const collectionOf = (
  { reference }: ShopView,
  { slugs }: ShopNames,
  id: string,
): ShopProduct['collections'] => {
  const name = nameIn(reference, 'collection', id);
  return name === null ? [] : [{ id, name, slug: slugs().of(id) }];
};

export const detailOf = (
  view: ShopView,
  names: ShopNames,
  product: SoldProduct,
  texts: PageTexts,
): ShopProduct => {
  const { root, variants } = product;
  const taxRate = taxRateOf(view, root.taxGroupId);
  return {
    success: true,
    message: '',
    ...currencyShown(view),
    ...cardOf(view, product),
    ...texts,
    images: root.images,
    tags: root.tags,
    collections: root.collectionIds.flatMap((id) => collectionOf(view, names, id)),
    isDigitalProduct: root.isDigitalProduct,
    options: variantOptions(root)
      .toSorted(bySortOrder)
      .map((option) => ({ ...optionOf(option), values: option.values.toSorted(bySortOrder).map(valueOf) })),
    addOns: addOnOptions(root)
      .toSorted(bySortOrder)
      .map((option) => addOnOf(view, option, taxRate)),
    variants: variants.filter(isPurchasable).map((variant) => variantOf(view, product, variant, taxRate)),
  };
};

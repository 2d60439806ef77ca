import { shownAmount } from '#contracts/basket-line-response.ts';
import type { ShopCard, ShopProduct } from '#contracts/shop-products.contract.ts';
import { addOnOptions, variantOptions } from '#entities/product-options.ts';
import type { ProductOption, ProductVariant } from '#events/catalogue.events.ts';
import { availableToSell, productAvailability } from '#reference/availability.ts';
import type { Location } from '#reference/location.ts';
import { isPurchasable } from '#reference/availability.ts';
import type { Reference, SoldProduct } from '#reference/reference.ts';
import { decimalsOf, symbolOf } from '#values/currency.ts';
import { displayTax, type Presentation } from '#values/exchange.ts';
import { MAX_AMOUNT, formatMoney, toDecimal, type Minor } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';

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

/** Prices between which the shopper wants to buy, as prices of the store. They depend on the tax that is shown. */
export const priceBoundsOf = (view: ShopView, minPrice: number | undefined, maxPrice: number | undefined) => {
  if (minPrice === undefined && maxPrice === undefined) return undefined;
  const unit = 10 ** decimalsOf(view.presentation.display.currency);
  const byRate = new Map<number, { readonly from: Minor; readonly to: Minor }>();
  return (taxGroupId: string | null) => {
    const rate = view.presentation.displayPricesIncTax ? taxRateOf(view, taxGroupId) : 0;
    const known = byRate.get(rate);
    if (known) return known;
    const shown = (price: Minor): Minor => shownPrice(view, price, rate);
    const bounds = {
      from: minPrice === undefined ? 0 : lowestShownAs(shown, Math.ceil(minPrice * unit - 1e-6)),
      to:
        maxPrice === undefined
          ? MAX_AMOUNT
          : lowestShownAs(shown, Math.floor(maxPrice * unit + 1e-6) + 1) - 1,
    };
    byRate.set(rate, bounds);
    return bounds;
  };
};

const typeName = ({ reference }: ShopView, productTypeId: string): string | null => {
  const name = reference.entities.find('productType', productTypeId)?.['name'];
  return typeof name === 'string' ? name : null;
};

const hasPreviousPrice = ({ onSale, previousPrice }: ProductVariant): boolean =>
  onSale && previousPrice !== null;

export const cardOf = (view: ShopView, { id, root, variants }: SoldProduct): ShopCard => {
  const { currency } = view.presentation.display;
  const sold = variants.filter(isPurchasable);
  const rate = taxRateOf(view, root.taxGroupId);
  const prices = sold.map(({ price }) => price);
  const [from, to] = [Math.min(...prices), Math.max(...prices)].map((price) => shownPrice(view, price, rate));
  const [priceFrom = 0, priceTo = 0] = [from, to];
  const isAvailable = sold.some((variant) => {
    const { isUnlimited, available } = availableToSell(view.reference, { rootId: id, root, variant });
    return isUnlimited || available > 0;
  });
  return {
    productRootId: id,
    name: root.rootName,
    url: root.rootUrl,
    image: root.images[0] ?? sold.find(({ images }) => images.length > 0)?.images[0] ?? null,
    productTypeName: typeName(view, root.productTypeId),
    priceFrom: toDecimal(priceFrom, currency),
    priceTo: toDecimal(priceTo, currency),
    formattedPrice:
      priceFrom === priceTo
        ? formatMoney(priceFrom, currency)
        : `${formatMoney(priceFrom, currency)} – ${formatMoney(priceTo, currency)}`,
    onSale: sold.some(hasPreviousPrice),
    isAvailable,
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
  const previous = hasPreviousPrice(variant) ? shownPrice(view, variant.previousPrice ?? 0, taxRate) : null;
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
    images: variant.images,
    filterIds: variant.filterIds,
    price: toDecimal(price, currency),
    formattedPrice: formatMoney(price, currency),
    previousPrice: previous === null ? null : toDecimal(previous, currency),
    formattedPreviousPrice: previous === null ? null : formatMoney(previous, currency),
    onSale: previous !== null,
    priceIncludesTax: includesTax,
    taxRate,
    taxAmount: includesTax ? toDecimal(tax, currency) : 0,
    availability: productAvailability(reference, sellable, 1, location, settings),
  };
};

/** The texts of a product's page, which reference state leaves out. */
export type PageTexts = Pick<ShopProduct, 'description' | 'metaDescription' | 'pageTitle'>;

const collectionOf = ({ reference }: ShopView, id: string): ShopProduct['collections'] => {
  const found = reference.entities.find('collection', id);
  return found ? [{ id, name: String(found['name']), slug: String(found['slug']) }] : [];
};

export const detailOf = (view: ShopView, product: SoldProduct, texts: PageTexts): ShopProduct => {
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
    collections: root.collectionIds.flatMap((id) => collectionOf(view, id)),
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

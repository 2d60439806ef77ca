import { variantOptions } from '#entities/product-options.ts';
import { productResponse, type ProductToShow } from '#entities/product.entity.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import type { StockLevel } from '#values/stock-units.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { decimalsOf } from '#values/currency.ts';
import { guarded } from '#values/csv.ts';
import { toDecimal } from '#values/money.ts';
import { gramsOf } from './complete-draft.ts';
import {
  columnsOf,
  NO_OPTION,
  optionNumbers,
  tagsCell,
  tagsIn,
  vendorCell,
  warning,
  type CsvColumn,
  type CsvIssue,
  type CsvProfile,
} from './product-csv.ts';
import { pick, restOfRoot, restOfVariant } from './read-product-variants.ts';

/** A product as an export takes it from the shop. */
export interface ExportedProduct {
  readonly product: ProductToShow;
  readonly typeName: string;
  /** What its warehouses hold: variant, warehouse, level. */
  readonly levels: readonly (readonly [variantId: string, warehouseId: string, level: StockLevel])[];
}

export interface WriteRequest {
  readonly profile: CsvProfile;
  readonly currency: string;
}

type Row = Partial<Record<CsvColumn, string>>;

const flag = (value: boolean): string => (value ? 'TRUE' : 'FALSE');

const isForSale = (variants: readonly ProductVariant[]): boolean =>
  variants.every(({ availableForPurchase }) => availableForPurchase);

/** What the variants share: the first row says it. */
const rootCells = ({ product: { root, variants }, typeName }: ExportedProduct): Row => {
  return {
    Title: root.rootName,
    'Body (HTML)': root.description ?? '',
    Vendor: vendorCell(root.extendedData),
    Type: typeName,
    Tags: tagsCell(root.tags),
    Published: flag(isForSale(variants)),
    'SEO Title': root.pageTitle ?? '',
    'SEO Description': root.metaDescription ?? '',
    Status: isForSale(variants) ? 'active' : 'draft',
  };
};

const optionCells = ({ root, variants }: ProductToShow, variant: ProductVariant, isFirst: boolean): Row => {
  const options = variantOptions(root);
  if (options.length === 0 && variants.length === 1)
    return { 'Option1 Name': NO_OPTION.name, 'Option1 Value': NO_OPTION.value };
  return Object.fromEntries(
    optionNumbers.flatMap((number) => {
      const option = options[number - 1];
      if (!option) return [];
      const chosen = variant.selectedOptions.find(({ optionName }) => optionName === option.name);
      return [
        [`Option${number} Name`, isFirst ? option.name : ''],
        [`Option${number} Value`, chosen?.valueName ?? ''],
      ];
    }),
  );
};

const variantCells = (
  { product: { root }, levels }: ExportedProduct,
  variant: ProductVariant,
  currency: string,
): Row => {
  const amount = (minor: number): string => toDecimal(minor, currency).toFixed(decimalsOf(currency));
  const isTracked = variant.stockRows.some(({ trackStock }) => trackStock);
  const first = variant.stockRows[0]?.warehouseId;
  const level = levels.find(([id, warehouseId]) => id === variant.id && warehouseId === first)?.[2];
  return {
    'Variant SKU': variant.sku,
    'Variant Grams': String(gramsOf(variant.packages) ?? ''),
    'Variant Inventory Tracker': isTracked ? 'shopify' : '',
    'Variant Inventory Qty': isTracked ? String(level?.stock ?? 0) : '',
    'Variant Price': amount(variant.price),
    'Variant Compare At Price': variant.previousPrice === null ? '' : amount(variant.previousPrice),
    'Variant Requires Shipping': flag(!root.isDigitalProduct),
    'Variant Taxable': flag(root.taxGroupId !== null),
    'Variant Barcode': variant.gtin ?? '',
    'Variant Image': variant.images[0] ?? '',
    'Cost per item': amount(variant.costOfGoods),
  };
};

type Shown = ReturnType<typeof productResponse>;

/** What columns say already is not said twice: who edits a column means it. */
const ownFields = (shown: Shown['variants'][number], isAllAlike: boolean): readonly string[] => {
  const { onSale, previousPrice, price, images, packages } = shown;
  const [only] = packages;
  const isPlain = packages.length === 1 && !only?.lengthCm && !only?.widthCm && !only?.heightCm;
  const isOnSaleSaid = onSale === (previousPrice !== null && previousPrice > price);
  const said = new Set([
    ...(isOnSaleSaid ? ['onSale'] : []),
    ...(isAllAlike ? ['availableForPurchase'] : []),
    ...(images.length <= 1 ? ['images'] : []),
    ...(isPlain ? ['packages'] : []),
  ]);
  return restOfVariant.filter((field) => !said.has(field));
};

const newRowOf = ({
  warehouseId,
  stock,
  trackStock,
  reorderPoint,
  reorderQuantity,
}: Shown['variants'][number]['stock'][number]) => ({
  warehouseId,
  stock,
  trackStock,
  reorderPoint,
  reorderQuantity,
});

const jsonOfVariant = (shown: Shown['variants'][number], isAllAlike: boolean): Row => {
  const said = { ...shown, stock: shown.stock.map(newRowOf) };
  return { 'Tillroll Variant': JSON.stringify(pick(said, ownFields(shown, isAllAlike))) };
};

const jsonOfRoot = (shown: Shown): Row => ({
  'Tillroll Product': JSON.stringify({
    ...pick(shown, restOfRoot),
    ...(!isSameJson(tagsIn(tagsCell(shown.tags)), shown.tags) && { tags: shown.tags }),
  }),
  'Tillroll Options': JSON.stringify(shown.options),
  'Tillroll Extended Data': JSON.stringify(shown.extendedData),
});

/** The rows of a product: one for each variant, and more where it has more images than variants. */
export const rowsOfProduct = (
  exported: ExportedProduct,
  { profile, currency }: WriteRequest,
): readonly string[][] => {
  const { product, levels } = exported;
  const { root, variants } = product;
  const isExtended = profile === 'extended';
  const levelOf = (id: string, warehouse: string) =>
    levels.find(([variantId, warehouseId]) => variantId === id && warehouseId === warehouse)?.[2];
  const shown = isExtended ? productResponse(product, currency, levelOf) : null;
  const isAllAlike = new Set(variants.map(({ availableForPurchase }) => availableForPurchase)).size <= 1;
  const count = Math.max(variants.length, root.images.length);
  return Array.from({ length: count }, (_, place) => {
    const variant = variants[place];
    const shownVariant = shown?.variants[place];
    const image = root.images[place];
    const row: Row = {
      Handle: root.rootUrl,
      ...(place === 0 && rootCells(exported)),
      ...(variant && optionCells(product, variant, place === 0)),
      ...(variant && variantCells(exported, variant, currency)),
      ...(image !== undefined && { 'Image Src': image, 'Image Position': String(place + 1) }),
      ...(place === 0 && shown && jsonOfRoot(shown)),
      ...(shownVariant && jsonOfVariant(shownVariant, isAllAlike)),
    };
    return columnsOf(profile).map((column) => guarded(row[column] ?? ''));
  });
};

/** What the strict profile cannot say, so that it could not be imported again. */
export const leftOut = ({ product: { root, variants } }: ExportedProduct): readonly CsvIssue[] => {
  const options = variantOptions(root);
  const isWhole =
    options.length <= optionNumbers.length &&
    variants.every(({ selectedOptions }) => selectedOptions.length === options.length);
  return isWhole
    ? []
    : [
        warning(
          'options-left-out',
          `the options of ${root.rootUrl} need the extended profile`,
          null,
          'Option1 Name',
        ),
      ];
};

import { rootShape, variantShape } from '#entities/product.entity.ts';
import { slugOf } from '#values/slug.ts';
import { NO_OPTION, optionNumbers } from './product-csv.ts';
import type { VariantDraft } from './product-draft.ts';
import type { Cells } from './read-product-cells.ts';

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const anyCurrency = (): string => 'USD';
/** Fields that columns of their own tell. */
const toldOfRoot = new Set([
  'rootName',
  'rootUrl',
  'description',
  'metaDescription',
  'pageTitle',
  'images',
  'tags',
  'productTypeId',
  'options',
  'isDigitalProduct',
  'extendedData',
]);
const toldOfVariant = new Set(['sku', 'price', 'previousPrice', 'costOfGoods', 'gtin']);

/** What `Tillroll Product` holds, and `Tillroll Variant`. */
export const restOfRoot = Object.keys(rootShape(anyCurrency)).filter((field) => !toldOfRoot.has(field));
export const restOfVariant = Object.keys(variantShape(anyCurrency)).filter(
  (field) => !toldOfVariant.has(field),
);

export const pick = (json: unknown, fields: readonly string[]): Json =>
  Object.fromEntries(
    fields.flatMap((field) => ((json as Json)[field] === undefined ? [] : [[field, (json as Json)[field]]])),
  );

const variantCells = [
  'Option1 Value',
  'Option2 Value',
  'Option3 Value',
  'Variant SKU',
  'Variant Price',
] as const;

/** The first row of a product is one of its variants; a further one only where it says something of one. */
export const isVariantRow = (cells: Cells, place: number): boolean =>
  place === 0 || variantCells.some((column) => cells.text(column) !== '');

/** The options by their columns: name and value in the first row, values in the others. */
export const optionNamesOf = (first: Cells, rows: readonly Cells[]): readonly string[] => {
  const names: string[] = [];
  for (const number of optionNumbers) {
    const name = first.text(`Option${number} Name`);
    const value = rows.find((row) => row.text(`Option${number} Value`) !== '');
    if (name === '' && value)
      value.refuse('option-name-missing', 'must name the option in the first row', `Option${number} Name`);
    if (name !== '') names.push(name);
  }
  const isNone =
    names.length === 1 &&
    rows.length === 1 &&
    names[0] === NO_OPTION.name &&
    first.text('Option1 Value') === NO_OPTION.value;
  return isNone ? [] : names;
};

export interface ReadVariant {
  readonly body: Json;
  readonly draft: VariantDraft;
  readonly needsShipping: boolean | null;
}

const pricesOf = (cells: Cells): Json => {
  const price = cells.number('Variant Price');
  const body: Record<string, unknown> = price === null ? {} : { price };
  if (cells.has('Variant Compare At Price')) {
    const previousPrice = cells.number('Variant Compare At Price');
    body.previousPrice = previousPrice;
    body.onSale = previousPrice !== null && price !== null && previousPrice > price;
  }
  if (cells.has('Cost per item')) body.costOfGoods = cells.number('Cost per item') ?? 0;
  return body;
};

const optionValuesOf = (cells: Cells, names: readonly string[]): readonly string[] =>
  names.map((name, place) => {
    const column = `Option${(place + 1) as 1 | 2 | 3} Value` as const;
    const value = cells.text(column);
    if (value === '') cells.refuse('option-value-missing', `must be a value of ${name}`, column);
    return value;
  });

const quantityOf = (cells: Cells): Pick<VariantDraft, 'quantity' | 'isTracked' | 'grams'> => {
  const quantity = cells.whole('Variant Inventory Qty');
  if (quantity !== null && quantity < 0)
    cells.refuse('quantity-negative', 'must be 0 or more', 'Variant Inventory Qty');
  const grams = cells.number('Variant Grams');
  if (grams !== null && (grams < 0 || grams > 100_000_000))
    cells.refuse('grams-out-of-range', 'must be 0 to 100,000,000', 'Variant Grams');
  const tracker = cells.text('Variant Inventory Tracker');
  const isTracked = cells.has('Variant Inventory Tracker') ? tracker !== '' : quantity === null ? null : true;
  return { quantity, isTracked, grams };
};

export const readVariant = (
  cells: Cells,
  handle: string,
  names: readonly string[] | null,
  isPublished: boolean | null,
): ReadVariant => {
  const values = names === null ? [] : optionValuesOf(cells, names);
  const sku = cells.text('Variant SKU');
  const image = cells.text('Variant Image');
  const json = cells.json('Tillroll Variant', isObject, 'an object') ?? {};
  const body = {
    sku: sku === '' ? [handle, ...values.map(slugOf)].join('-') : sku,
    ...pricesOf(cells),
    ...(cells.has('Variant Barcode') && { gtin: cells.text('Variant Barcode') }),
    ...(cells.has('Variant Image') && { images: image === '' ? [] : [image] }),
    ...(isPublished !== null && { availableForPurchase: isPublished }),
    ...(names !== null && {
      selectedOptions: names.map((optionName, place) => ({ optionName, valueName: values[place] ?? '' })),
    }),
    ...pick(json, restOfVariant),
  };
  const isSaleByPrices = cells.has('Variant Compare At Price') && (json as Json)['onSale'] === undefined;
  const draft = {
    line: cells.row.line,
    isSkuGiven: sku !== '',
    isSaleByPrices,
    values,
    ...quantityOf(cells),
  };
  return { body, draft, needsShipping: cells.flag('Variant Requires Shipping') };
};

import { taxGroup } from '#entities/tax-group.entity.ts';
import { addOnOptions, variantOptions } from '#entities/product-options.ts';
import type { ProductParts } from '#entities/product-parts.ts';
import type { ProductOption, ProductVariant } from '#events/catalogue.events.ts';
import type { Reference, SoldProduct } from '#reference/reference.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { tagsCell, tagsIn } from './product-csv.ts';
import type { ProductDraft, VariantDraft } from './product-draft.ts';
import type { GivenStockRow, ProductGiven, VariantInProduct } from '../product-input.ts';

type Shop = Pick<Reference, 'catalogue' | 'entities' | 'shipping' | 'stock'>;
type Value = ProductOption['values'][number];

/** The product that a file means: by its handle, else by one of its SKUs (docs/guides/product-csv.md#matching). */
export const productMeant = (
  { handle, given, variants }: ProductDraft,
  { catalogue }: Shop,
): SoldProduct | null => {
  const found = catalogue.productAt(handle);
  if (found) return found;
  for (const [place, { sku = '' }] of given.variants.entries()) {
    const owner = variants[place]?.isSkuGiven ? catalogue.variantBySku(sku) : undefined;
    if (owner) return catalogue.product(owner.rootId) ?? null;
  }
  return null;
};

const plainValue = {
  hexValue: null,
  mediaKey: null,
  priceAdjustment: 0,
  costAdjustment: 0,
  skuSuffix: null,
  weightKg: null,
};
const plainOption = {
  alias: null,
  optionTypeAlias: null,
  optionUiAlias: null,
  isVariant: true,
  isMultiSelect: true,
  isRequired: false,
};

/** Those that are known in their order, then the new ones. */
const inKnownOrder = (
  names: readonly string[],
  known: readonly { readonly name: string }[],
): readonly string[] => {
  const before = known.map(({ name }) => name).filter((name) => names.includes(name));
  return [...before, ...names.filter((name) => !before.includes(name))];
};

const nextOrder = (known: readonly { readonly sortOrder: number }[]): number =>
  Math.max(-1, ...known.map(({ sortOrder }) => sortOrder)) + 1;

const valuesOf = (names: readonly string[], known: readonly Value[]) => {
  let next = nextOrder(known);
  return inKnownOrder(names, known).map(
    (name) => known.find((value) => value.name === name) ?? { ...plainValue, name, sortOrder: next++ },
  );
};

type OptionsGiven = NonNullable<ProductGiven['options']>;

/**
 * The options of a file, with all that the shop knows of them and the file cannot say. Values of variants that stay
 * because units are reserved stay, too; so do add-ons.
 */
const optionsOf = (
  names: readonly string[],
  draft: ProductDraft,
  known: ProductParts<SoldProduct['root']> | null,
  staying: readonly ProductVariant[],
): OptionsGiven => {
  const before = known ? variantOptions(known.root) : [];
  let next = nextOrder(before);
  const own = inKnownOrder(names, before).map((name) => {
    const place = names.indexOf(name);
    const kept = staying.flatMap(({ selectedOptions }) =>
      selectedOptions.filter(({ optionName }) => optionName === name).map(({ valueName }) => valueName),
    );
    const values = [...new Set([...draft.variants.map((variant) => variant.values[place] ?? ''), ...kept])];
    const found = before.find((option) => option.name === name);
    return {
      ...(found ?? { ...plainOption, name, sortOrder: next++ }),
      values: valuesOf(values, found?.values ?? []),
    };
  });
  return [...own, ...(known ? addOnOptions(known.root) : [])];
};

/** In grams; null where nothing is said. */
export const gramsOf = (packages: ProductVariant['packages']): number | null =>
  packages.length === 0
    ? null
    : Math.round(packages.reduce((sum, { weight }) => sum + weight * 1000, 0) * 1000) / 1000;

/** A new row in the product's first warehouse, else in the oldest. A row that was opened stays as it is. */
const newRow = (
  warehouseId: string | undefined,
  { isTracked, quantity }: VariantDraft,
  before: ProductVariant | undefined,
  { stock }: Shop,
): readonly GivenStockRow[] => {
  if (warehouseId === undefined || isTracked !== true) return [];
  if (before && stock.level(before.id, warehouseId)) return [];
  return [{ warehouseId, stock: quantity ?? 0, trackStock: true }];
};

const warehouseOf = (
  draft: ProductDraft,
  known: SoldProduct | null,
  { shipping }: Shop,
): string | undefined =>
  (draft.given.warehouses ?? known?.root.warehouses)?.[0]?.warehouseId ??
  known?.variants.flatMap(({ stockRows }) => stockRows)[0]?.warehouseId ??
  shipping.warehouses()[0]?.id;

/** The variant of the shop that one of the file means: by its SKU, else by its values. */
const variantMeant = (
  known: SoldProduct | null,
  { sku, selectedOptions = [] }: VariantInProduct,
  isSkuGiven: boolean,
): ProductVariant | undefined =>
  known?.variants.find((variant) => variant.sku === sku) ??
  (isSkuGiven
    ? undefined
    : known?.variants.find((variant) => isSameJson(variant.selectedOptions, selectedOptions)));

/** The shop's one tax group; undefined where it has none or several. */
export const onlyTaxGroup = ({ entities }: Pick<Shop, 'entities'>): string | undefined => {
  let count = 0;
  entities.owner(taxGroup, () => ++count > 1);
  return count === 1 ? entities.owner(taxGroup, () => true)?.id : undefined;
};

const taxGroupOf = (
  draft: ProductDraft,
  known: SoldProduct | null,
  shop: Shop,
): Pick<ProductGiven, 'taxGroupId'> => {
  const { isTaxed, given } = draft;
  if (given.taxGroupId !== undefined || isTaxed === null) return {};
  if (!isTaxed) return { taxGroupId: null };
  return { taxGroupId: known?.root.taxGroupId ?? onlyTaxGroup(shop) ?? null };
};

/** Tags of which the column says what an export would write there are as they were, commas and all. */
const tagsOf = ({ given: { tags } }: ProductDraft, known: SoldProduct | null): Pick<ProductGiven, 'tags'> =>
  known && tags && isSameJson(tagsIn(tagsCell(known.root.tags)), tags) ? { tags: known.root.tags } : {};

/** Then the columns say nothing new of whether it is on sale. */
const hasSamePrices = ({ price, previousPrice }: VariantInProduct, before: ProductVariant): boolean =>
  price === before.price && previousPrice === before.previousPrice;

export interface CompletedDraft {
  readonly known: SoldProduct | null;
  readonly given: ProductDraft['given'];
  /** Variants that the file leaves out although units of them are reserved. */
  readonly staying: readonly ProductVariant[];
}

const reservedUnits = ({ id, stockRows }: ProductVariant, { stock }: Shop): number =>
  stockRows.reduce((sum, { warehouseId }) => sum + (stock.level(id, warehouseId)?.reserved ?? 0), 0);

/**
 * What the management API is sent for a product of a file: what the file says, completed by what the shop knows
 * (docs/guides/product-csv.md#matching). `known` as it is in the shop now.
 */
export const completeDraft = (
  draft: ProductDraft,
  shop: Shop,
  known = productMeant(draft, shop),
): CompletedDraft => {
  const warehouseId = warehouseOf(draft, known, shop);
  const meant = draft.given.variants.map((variant, place) =>
    variantMeant(known, variant, draft.variants[place]?.isSkuGiven ?? true),
  );
  const variants = draft.given.variants.map((variant, place) => {
    const own = draft.variants[place];
    const before = meant[place];
    const { grams = null } = own ?? {};
    const isNewWeight =
      variant.packages === undefined && grams !== null && grams !== gramsOf(before?.packages ?? []);
    const weighed = [{ weight: (grams ?? 0) / 1000, lengthCm: null, widthCm: null, heightCm: null }];
    return {
      ...variant,
      ...(before && !own?.isSkuGiven && { sku: before.sku }),
      ...(before && own?.isSaleByPrices && hasSamePrices(variant, before) && { onSale: before.onSale }),
      ...(isNewWeight && { packages: grams === 0 ? [] : weighed }),
      ...(variant.stock === undefined && own && { stock: newRow(warehouseId, own, before, shop) }),
    };
  });
  const named = new Set(meant);
  const staying = (known?.variants ?? []).filter(
    (variant) => !named.has(variant) && reservedUnits(variant, shop) > 0,
  );
  const { optionNames } = draft;
  const given = {
    ...draft.given,
    ...tagsOf(draft, known),
    ...taxGroupOf(draft, known, shop),
    ...(optionNames !== null && { options: optionsOf(optionNames, draft, known, staying) }),
    variants,
  };
  return { known, given: given as ProductDraft['given'], staying };
};

import { newVariant } from '#entities/product.entity.ts';
import { variantOptions } from '#entities/product-options.ts';
import type { ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import type { VariantPatch } from './product.commands.ts';

/** Variants after a change, with everything that is wrong about it. */
export interface MergedVariants {
  readonly variants: readonly ProductVariant[];
  readonly problems: readonly string[];
}

const findIndex = (variants: readonly ProductVariant[], { find }: VariantPatch): number => {
  if (find === 'none') return -1;
  if (find === 'only') return variants.length === 1 ? 0 : -1;
  return variants.findIndex((variant) => ('id' in find ? variant.id === find.id : variant.sku === find.sku));
};

/** The variant that something was said of, once it has been saved; undefined where it has gone since. */
export const savedVariant = (
  variants: readonly ProductVariant[],
  patch: VariantPatch,
): ProductVariant | undefined =>
  variants[findIndex(variants, patch)] ?? variants.find(({ id }) => id === patch.newId);

const withRows = (
  rows: ProductVariant['stockRows'],
  added: ProductVariant['stockRows'],
): ProductVariant['stockRows'] => [
  ...rows,
  ...added.filter(({ warehouseId }) => !rows.some((row) => row.warehouseId === warehouseId)),
];

/** A new variant, or what is missing for one. */
const added = ({
  find,
  newId,
  path,
  fields,
  stockRows,
}: VariantPatch): ProductVariant | readonly string[] => {
  if (typeof find === 'object' && 'id' in find) return [`${path}id: a variant of this product was expected`];
  const { sku, price } = fields;
  if (sku === undefined || price === undefined) {
    return [
      ...(sku === undefined ? [`${path}sku: a sku was expected`] : []),
      ...(price === undefined ? [`${path}price: a price was expected`] : []),
    ];
  }
  return { ...newVariant, ...fields, id: newId, sku, price, stockRows: withRows([], stockRows) };
};

/** One of the variants is the default: the last one that is said to be, else the one that was, else the first. */
const withDefault = (
  variants: readonly ProductVariant[],
  patches: readonly VariantPatch[],
): readonly ProductVariant[] => {
  const wanted = new Set(patches.filter(({ fields }) => fields.isDefault === true).map(({ newId }) => newId));
  const chosen =
    variants.findLast(({ id }) => wanted.has(id)) ??
    variants.find(({ isDefault }) => isDefault) ??
    variants[0];
  return variants.map((variant) => {
    const isDefault = variant.id === chosen?.id;
    return variant.isDefault === isDefault ? variant : { ...variant, isDefault };
  });
};

/** The ids of the chosen values, in the order of the options; null without options. */
const optionsKeyOf = (root: ProductRoot, { selectedOptions }: ProductVariant): string | null => {
  const ids = variantOptions(root).flatMap(({ name, values }) => {
    const chosen = selectedOptions.find(({ optionName }) => optionName === name);
    return values.filter((value) => value.name === chosen?.valueName).map(({ id }) => id);
  });
  return ids.length > 0 ? ids.join(',') : null;
};

const named = (root: ProductRoot, variant: ProductVariant): string =>
  variant.name || variant.selectedOptions.map(({ valueName }) => valueName).join(' - ') || root.rootName;

const completed = (root: ProductRoot, variant: ProductVariant): ProductVariant => ({
  ...variant,
  name: named(root, variant),
  url: variant.isDefault ? `/${root.rootUrl}` : `/${root.rootUrl}?variant=${encodeURIComponent(variant.sku)}`,
  variantOptionsKey: optionsKeyOf(root, variant),
});

const skuProblems = (variants: readonly ProductVariant[]): string[] => {
  const skus = variants.map(({ sku }) => sku);
  const repeated = new Set(skus.filter((sku, index) => skus.indexOf(sku) !== index));
  return [...repeated].map((sku) => `sku: each variant needs one of its own, ${sku} stands there twice`);
};

/**
 * The variants of a product after something was said of some of them (docs/rules/catalogue.md#changes): matched,
 * changed or added. Names, addresses, the default and the keys of their options follow from the rest.
 */
export const mergeVariants = (
  root: ProductRoot,
  current: readonly ProductVariant[],
  patches: readonly VariantPatch[],
): MergedVariants => {
  const variants = [...current];
  const problems: string[] = [];
  const applied: VariantPatch[] = [];
  for (const patch of patches) {
    const index = findIndex(variants, patch);
    const found = variants[index];
    if (found) {
      variants[index] = {
        ...found,
        ...patch.fields,
        stockRows: withRows(found.stockRows, patch.stockRows),
      };
      applied.push({ ...patch, newId: found.id });
      continue;
    }
    const fresh = added(patch);
    if ('id' in fresh) {
      variants.push(fresh);
      applied.push({ ...patch, newId: fresh.id });
    } else problems.push(...fresh);
  }
  return {
    variants: withDefault(variants, applied).map((variant) => completed(root, variant)),
    problems: [...problems, ...skuProblems(variants)],
  };
};

import { newVariant } from '#entities/product.entity.ts';
import { choicesOf, keyOf, nameOf, selectionOf } from '#entities/product-options.ts';
import { expand, variantUrl, withDefaultId } from '#entities/product-parts.ts';
import type { ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import type { Generated, PatchedRow, VariantPatch } from '../product.commands.ts';

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

/** Rows as they are and as they are said to be, each once. */
export const withRows = (
  rows: ProductVariant['stockRows'],
  said: readonly PatchedRow[],
  without?: string,
): ProductVariant['stockRows'] => {
  const tracked = new Map(rows.map(({ warehouseId, trackStock }) => [warehouseId, trackStock]));
  for (const { warehouseId, trackStock } of said)
    tracked.set(warehouseId, trackStock ?? tracked.get(warehouseId) ?? true);
  if (without !== undefined) tracked.delete(without);
  return [...tracked].map(([warehouseId, trackStock]) => ({ warehouseId, trackStock }));
};

/** A new variant, or what is missing for one. */
const added = ({
  find,
  newId,
  path,
  fields,
  stockRows,
}: VariantPatch): ProductVariant | readonly string[] => {
  if (find === 'only') return ['variants: must name the variants meant, as there are several'];
  if (typeof find === 'object' && 'id' in find) return [`${path}id: must be a variant of this product`];
  const { sku, price } = fields;
  if (sku === undefined || price === undefined) {
    return [
      ...(sku === undefined ? [`${path}sku: must be a sku`] : []),
      ...(price === undefined ? [`${path}price: must be a price`] : []),
    ];
  }
  return { ...newVariant, ...fields, id: newId, sku, price, stockRows: withRows([], stockRows) };
};

/** One of the variants is the default: the last one that is said to be, else the one that was, else the first. */
const withDefault = (
  root: ProductRoot,
  variants: readonly ProductVariant[],
  patches: readonly VariantPatch[],
): readonly ProductVariant[] => {
  const wanted = new Set(patches.filter(({ fields }) => fields.isDefault === true).map(({ newId }) => newId));
  const chosen =
    variants.findLast(({ id }) => wanted.has(id)) ??
    variants.find(({ isDefault }) => isDefault) ??
    variants[0];
  return withDefaultId(root, variants, chosen?.id);
};

/** What follows from the rest: the choices in the order of the options, their key, a name and an address. */
const completed = (root: ProductRoot, variant: ProductVariant): ProductVariant => {
  const choices = choicesOf(root, variant.selectedOptions);
  const { length } = variant.selectedOptions;
  // What the options do not offer is left as it is: it is refused by its name.
  const selectedOptions = choices.length === length ? selectionOf(choices) : variant.selectedOptions;
  return {
    ...variant,
    name: variant.name || nameOf(selectedOptions) || root.rootName,
    selectedOptions,
    url: variantUrl(root, variant),
    variantOptionsKey: keyOf(choices),
  };
};

const skuProblems = (variants: readonly ProductVariant[]): string[] => {
  const skus = variants.map(({ sku }) => sku);
  const seen = new Set<string>();
  const repeated = new Set(skus.filter((sku) => seen.size === seen.add(sku).size));
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
  generated: Generated | null = null,
): MergedVariants => {
  const variants = [...current];
  const problems = [...(generated?.problems ?? [])];
  const applied: VariantPatch[] = [];
  for (const patch of patches) {
    const index = findIndex(variants, patch);
    const found = variants[index];
    if (found) {
      variants[index] = {
        ...found,
        ...patch.fields,
        stockRows: withRows(found.stockRows, patch.stockRows, patch.withoutRow),
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
  if (generated) variants.push(...expand(root, generated));
  return {
    variants: withDefault(root, variants, applied).map((variant) => completed(root, variant)),
    problems: [...problems, ...skuProblems(variants)],
  };
};

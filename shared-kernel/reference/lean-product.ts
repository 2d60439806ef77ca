import type { ProductParts } from '#entities/product-parts.ts';
import type { ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import { distinctWords, withoutTags } from '#values/words.ts';
import type { SoldProduct, SoldRoot } from './reference.ts';

const MAX_POOLED = 10_000;
const none: never[] = [];
/** A product is found by so many words of its description. */
const MAX_DESCRIPTION_WORDS = 60;

/** What a product with this description is found by. */
export const wordsOfDescription = (description: string): string =>
  distinctWords(withoutTags(description), MAX_DESCRIPTION_WORDS).join(' ');

/** Tells a description from a former one (FNV-1a, 32 bits). */
export const hashOfDescription = (description: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < description.length; at++)
    hash = Math.imul(hash ^ description.charCodeAt(at), 0x01000193);
  return hash;
};

/**
 * Makes products small: texts that selling does not need are left out, and what many of them share, such as the ids
 * of warehouses and lists of them, is kept once.
 */
export const createLeanProducts = () => {
  const pool = new Map<string, unknown>();
  const once = <Value>(key: string, value: Value): Value => {
    const known = pool.get(key);
    if (known !== undefined) return known as Value;
    if (pool.size >= MAX_POOLED) pool.clear();
    pool.set(key, value);
    return value;
  };
  const text = (id: string): string => once(id, id);
  const list = <Item>(items: readonly Item[]): Item[] =>
    items.length === 0 ? none : once(JSON.stringify(items), items as Item[]);

  const leanRoot = (root: SoldRoot & Partial<ProductRoot>): SoldRoot => {
    const { description, metaDescription: _, pageTitle: __, extendedData: ___, ...sold } = root;
    return {
      ...sold,
      descriptionWords: sold.descriptionWords ?? wordsOfDescription(description ?? ''),
      descriptionHash: sold.descriptionHash ?? hashOfDescription(description ?? ''),
      taxGroupId: sold.taxGroupId === null ? null : text(sold.taxGroupId),
      productTypeId: text(sold.productTypeId),
      collectionIds: list(sold.collectionIds),
      tags: list(sold.tags),
      digitalFileIds: list(sold.digitalFileIds),
      warehouses: list(sold.warehouses),
      defaultPackages: list(sold.defaultPackages),
    };
  };

  const leanVariant = (variant: ProductVariant): ProductVariant => ({
    ...variant,
    images: variant.images.length === 0 ? list(variant.images) : variant.images,
    filterIds: list(variant.filterIds),
    packages: list(variant.packages),
    selectedOptions: list(variant.selectedOptions),
    allowedShippingOptionIds: list(variant.allowedShippingOptionIds),
    excludedShippingOptionIds: list(variant.excludedShippingOptionIds),
    stockRows: list(variant.stockRows),
  });

  /** What it has of `before` is lean already. */
  return (
    id: string,
    since: number,
    { root, variants }: ProductParts<SoldRoot>,
    before?: SoldProduct,
  ): SoldProduct => {
    const known = new Set(before?.variants);
    return {
      id,
      since,
      root: root === before?.root ? root : leanRoot(root),
      variants: variants.map((variant) => (known.has(variant) ? variant : leanVariant(variant))),
    };
  };
};

import { plainText } from './words.ts';

/** What a discount's target may be (docs/rules/discounts.md#targets). */
export const targetTypes = {
  AllProducts: 0,
  SpecificProducts: 1,
  Collections: 2,
  ProductFilters: 3,
  ProductTypes: 4,
  Suppliers: 5,
  Warehouses: 6,
  Tags: 7,
  Skus: 8,
} as const;
export type TargetType = keyof typeof targetTypes;

/** What a line of a basket is, as far as a target may name it. An add-on is what its product is. */
export interface LineTraits {
  readonly productId: string;
  readonly rootId: string;
  readonly sku: string;
  readonly productTypeId: string | null;
  readonly collectionIds: readonly string[];
  readonly filterIds: readonly string[];
  readonly tags: readonly string[];
  /** The owner of the warehouse. */
  readonly supplierId: string | null;
  /** Where it is sent from; null while unknown. */
  readonly warehouseId: string | null;
}

/**
 * Under which key a target is found: an id is its own, as no two things of the shop share one. Tags and skus are the
 * same in any case.
 */
export const targetKey = (type: TargetType, named: string): string => {
  if (type === 'Tags') return `tag ${plainText(named)}`;
  return type === 'Skus' ? `sku ${named.toLowerCase()}` : named;
};

/** Targets of these types name where a line is sent from, which depends on the basket; the others what it is. */
export const namesPlaces = (type: TargetType): boolean => type === 'Suppliers' || type === 'Warehouses';

const keysOf = (line: LineTraits): readonly string[] => {
  const keys = [line.productId, line.rootId, targetKey('Skus', line.sku)];
  for (const id of [line.productTypeId, line.supplierId, line.warehouseId]) if (id !== null) keys.push(id);
  keys.push(...line.collectionIds, ...line.filterIds);
  for (const tag of line.tags) keys.push(targetKey('Tags', tag));
  return keys;
};

/** Keyed by the traits, for as long as they are in use: a product's are the same in all baskets. */
const known = new WeakMap<LineTraits, readonly string[]>();

/** The keys of every target that names this line. */
export const keysOfLine = (line: LineTraits): readonly string[] => {
  const found = known.get(line);
  if (found !== undefined) return found;
  const keys = keysOf(line);
  known.set(line, keys);
  return keys;
};

import { LRUCache } from 'lru-cache';
import type { RecommendationType, UpsellSort } from '#values/upsells.ts';
import { plainText } from '#values/words.ts';
import { isPurchasable, warehousesOf } from './availability.ts';
import { createProductShelf, type ProductShelf, type ShelvedProduct } from './product-shelf.ts';
import type {
  CatalogueReference,
  RecommendedProducts,
  ShippingReference,
  SoldProduct,
  UnitsSoldReference,
} from './reference.ts';

/** So many products are kept in order altogether; what is asked for least is put in order again. */
const MOST_SHELVED = 2_000_000;

const categories: Readonly<Record<Exclude<RecommendationType, 'SpecificProducts' | 'Suppliers'>, string>> = {
  ProductTypes: 'productType',
  Collections: 'collection',
  ProductFilters: 'filter',
};

/** What shoppers can buy of it; undefined where that is nothing. */
const sold = (product: SoldProduct | undefined): SoldProduct | undefined =>
  product?.variants.some(isPurchasable) === true ? product : undefined;

/** The ids under which a product is recommended: as no two things of the shop share one, they are keys. */
const keysOf = ({ root, variants }: SoldProduct): ReadonlySet<string> => {
  const keys = new Set<string>([root.productTypeId, ...root.collectionIds]);
  for (const variant of variants) {
    if (!isPurchasable(variant)) continue;
    for (const id of variant.filterIds) keys.add(id);
    for (const id of warehousesOf({ root, variant })) keys.add(id);
  }
  return keys;
};

const lowestPrice = ({ variants }: SoldProduct): number => {
  let lowest = Infinity;
  for (const variant of variants)
    if (isPurchasable(variant) && variant.price < lowest) lowest = variant.price;
  return lowest;
};

/** Where a product stands in an order: by its rank, then by name (docs/rules/upsells.md#order). */
const rankIn = (product: SoldProduct, sort: UpsellSort, unitsSold: UnitsSoldReference): number => {
  switch (sort) {
    case 'BestSeller':
      return -unitsSold.of(product.id);
    case 'PriceLowToHigh':
      return lowestPrice(product);
    case 'PriceHighToLow':
      return -lowestPrice(product);
    case 'DateAdded':
      return -product.since;
    case 'Name':
    case 'Random':
      return 0;
  }
};

/** Keeps the shelves that have been asked for up to date. */
const createShelves = (catalogue: CatalogueReference, unitsSold: UnitsSoldReference) => {
  const byKey = new Map<string, Map<UpsellSort, ProductShelf>>();
  const kept = new LRUCache<string, ProductShelf>({
    maxSize: MOST_SHELVED,
    sizeCalculation: (shelf) => shelf.size() + 1,
    dispose: (_, name) => {
      const [key = '', sort] = name.split(' ');
      const shelves = byKey.get(key);
      shelves?.delete(sort as UpsellSort);
      if (shelves?.size === 0) byKey.delete(key);
    },
  });
  const placed = (product: SoldProduct, sort: UpsellSort): ShelvedProduct => ({
    id: product.id,
    rank: rankIn(product, sort, unitsSold),
    name: plainText(product.root.rootName),
  });
  const replace = (product: SoldProduct, key: string): void => {
    for (const [sort, shelf] of byKey.get(key) ?? []) shelf.put(placed(product, sort));
  };

  catalogue.watch((was, is) => {
    if (byKey.size === 0) return;
    const [before, now] = [sold(was), sold(is)];
    const keysNow: ReadonlySet<string> = now ? keysOf(now) : new Set();
    if (before)
      for (const key of keysOf(before))
        if (!keysNow.has(key)) for (const shelf of byKey.get(key)?.values() ?? []) shelf.remove(before.id);
    if (now) for (const key of keysNow) replace(now, key);
  });
  unitsSold.watch((rootId) => {
    if (byKey.size === 0) return;
    const product = sold(catalogue.product(rootId));
    if (!product) return;
    for (const key of keysOf(product)) {
      const shelf = byKey.get(key)?.get('BestSeller');
      shelf?.put(placed(product, 'BestSeller'));
    }
  });

  return {
    placed,
    /** The products under a key in an order; laid out when it is asked for the first time. */
    shelf: (category: string, key: string, sort: UpsellSort): ProductShelf => {
      const name = `${key} ${sort}`;
      const known = kept.get(name);
      if (known) return known;
      const found = catalogue.productsThatUse(category, key).flatMap((rootId) => {
        const product = sold(catalogue.product(rootId));
        return product && keysOf(product).has(key) ? [placed(product, sort)] : [];
      });
      const shelf = createProductShelf(found);
      const shelves = byKey.get(key);
      if (shelves) shelves.set(sort, shelf);
      else byKey.set(key, new Map([[sort, shelf]]));
      kept.set(name, shelf);
      return shelf;
    },
  };
};

/**
 * The products that rules recommend, in the orders in which they do. What has been asked for once is kept in order as
 * products and sales change, so that nobody sorts a collection for a basket.
 */
export const createRecommendedProducts = (
  catalogue: CatalogueReference,
  shipping: ShippingReference,
  unitsSold: UnitsSoldReference,
): RecommendedProducts => {
  const shelves = createShelves(catalogue, unitsSold);

  const rootOf = (id: string): SoldProduct | undefined => {
    const found = catalogue.product(id) ?? catalogue.product(catalogue.variant(id)?.rootId ?? '');
    return sold(found);
  };
  const named = (ids: readonly string[], sort: UpsellSort): ProductShelf => {
    const products = new Set(ids.flatMap((id) => rootOf(id) ?? []));
    return createProductShelf([...products].map((product) => shelves.placed(product, sort)));
  };
  const warehousesOfSuppliers = (ids: readonly string[]): readonly string[] =>
    shipping
      .warehouses()
      .filter(({ supplierId }) => supplierId !== null && ids.includes(supplierId))
      .map(({ id }) => id);

  return {
    shelves: (type, ids, sort) => {
      if (type === 'SpecificProducts') return [named(ids, sort)];
      if (type === 'Suppliers')
        return warehousesOfSuppliers(ids).map((id) => shelves.shelf('warehouse', id, sort));
      return ids.map((id) => shelves.shelf(categories[type], id, sort));
    },
  };
};

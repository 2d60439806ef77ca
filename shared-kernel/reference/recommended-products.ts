import { LRUCache } from 'lru-cache';
import type { RecommendationType, UpsellSort } from '#values/upsells.ts';
import { plainText } from '#values/words.ts';
import { isPurchasable, warehousesOf } from './availability.ts';
import { createRankedProducts, type RankedProducts, type RankedProduct } from './ranked-products.ts';
import type {
  CatalogueReference,
  RecommendedProducts,
  ShippingReference,
  SoldProduct,
  UnitsSoldReference,
} from './reference.ts';

/** The most products kept in order altogether; the least used ones are sorted again. */
const MOST_RANKED = 2_000_000;

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

/** Keeps the rankings that have been requested up to date. */
const createRankings = (catalogue: CatalogueReference, unitsSold: UnitsSoldReference) => {
  const byKey = new Map<string, Map<UpsellSort, RankedProducts>>();
  const kept = new LRUCache<string, RankedProducts>({
    maxSize: MOST_RANKED,
    sizeCalculation: (ranking) => ranking.size() + 1,
    dispose: (_, name) => {
      const [key = '', sort] = name.split(' ');
      const ranked = byKey.get(key);
      ranked?.delete(sort as UpsellSort);
      if (ranked?.size === 0) byKey.delete(key);
    },
  });
  const placed = (product: SoldProduct, sort: UpsellSort): RankedProduct => ({
    id: product.id,
    rank: rankIn(product, sort, unitsSold),
    name: plainText(product.root.rootName),
  });
  const replace = (product: SoldProduct, key: string): void => {
    for (const [sort, ranking] of byKey.get(key) ?? []) ranking.put(placed(product, sort));
  };

  catalogue.watch((was, is) => {
    if (byKey.size === 0) return;
    const [before, now] = [sold(was), sold(is)];
    const keysNow: ReadonlySet<string> = now ? keysOf(now) : new Set();
    if (before)
      for (const key of keysOf(before))
        if (!keysNow.has(key))
          for (const ranking of byKey.get(key)?.values() ?? []) ranking.remove(before.id);
    if (now) for (const key of keysNow) replace(now, key);
  });
  unitsSold.watch((rootId) => {
    if (byKey.size === 0) return;
    const product = sold(catalogue.product(rootId));
    if (!product) return;
    for (const key of keysOf(product)) {
      const ranking = byKey.get(key)?.get('BestSeller');
      ranking?.put(placed(product, 'BestSeller'));
    }
  });

  return {
    placed,
    /** The products under a key in an order; laid out when it is asked for the first time. */
    ranking: (category: string, key: string, sort: UpsellSort): RankedProducts => {
      const name = `${key} ${sort}`;
      const known = kept.get(name);
      if (known) return known;
      const found = catalogue.productsThatUse(category, key).flatMap((rootId) => {
        const product = sold(catalogue.product(rootId));
        return product && keysOf(product).has(key) ? [placed(product, sort)] : [];
      });
      const ranking = createRankedProducts(found);
      const ranked = byKey.get(key);
      if (ranked) ranked.set(sort, ranking);
      else byKey.set(key, new Map([[sort, ranking]]));
      kept.set(name, ranking);
      return ranking;
    },
  };
};

/**
 * The products that rules recommend, in their orders. An order once asked for is maintained as products and sales
 * change, so that no basket waits for a collection to be sorted.
 */
export const createRecommendedProducts = (
  catalogue: CatalogueReference,
  shipping: ShippingReference,
  unitsSold: UnitsSoldReference,
): RecommendedProducts => {
  const ranked = createRankings(catalogue, unitsSold);

  const rootOf = (id: string): SoldProduct | undefined => {
    const found = catalogue.product(id) ?? catalogue.product(catalogue.variant(id)?.rootId ?? '');
    return sold(found);
  };
  const named = (ids: readonly string[], sort: UpsellSort): RankedProducts => {
    const products = new Set(ids.flatMap((id) => rootOf(id) ?? []));
    return createRankedProducts([...products].map((product) => ranked.placed(product, sort)));
  };
  const warehousesOfSuppliers = (ids: readonly string[]): readonly string[] =>
    shipping
      .warehouses()
      .filter(({ supplierId }) => supplierId !== null && ids.includes(supplierId))
      .map(({ id }) => id);

  return {
    ranked: (type, ids, sort) => {
      if (type === 'SpecificProducts') return [named(ids, sort)];
      if (type === 'Suppliers')
        return warehousesOfSuppliers(ids).map((id) => ranked.ranking('warehouse', id, sort));
      return ids.map((id) => ranked.ranking(categories[type], id, sort));
    },
  };
};

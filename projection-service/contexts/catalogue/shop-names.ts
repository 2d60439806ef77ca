import type { ShopFilter } from '#contracts/shop-products.contract.ts';
import { collection } from '#entities/collection.entity.ts';
import { filterGroup } from '#entities/filter-group.entity.ts';
import { filter } from '#entities/filter.entity.ts';
import { productType } from '#entities/product-type.entity.ts';
import { createDistinctNames, type DistinctNames } from '#reference/distinct-names.ts';
import type { Reference } from '#reference/reference.ts';

/** What shoppers read of the resources that products name, and by which words they address them. */
export interface ShopNames {
  readonly slugs: () => DistinctNames;
  readonly aliases: () => DistinctNames;
}

export const createShopNames = ({ entities, changes }: Reference): ShopNames => ({
  slugs: createDistinctNames(entities, collection.category, 'slug', changes),
  aliases: createDistinctNames(entities, productType.category, 'alias', changes),
});

export const nameIn = ({ entities }: Reference, category: string, id: string): string | null => {
  const name = entities.find(category, id)?.['name'];
  return typeof name === 'string' ? name : null;
};

/** The filters among these ids that the shop has. */
export const filtersNamed = (reference: Reference, ids: readonly string[]): ShopFilter[] =>
  ids.flatMap((id) => {
    const found = reference.entities.find(filter.category, id);
    if (!found) return [];
    const filterGroupId = String(found['filterGroupId']);
    const filterGroupName = nameIn(reference, filterGroup.category, filterGroupId) ?? '';
    return [{ id, name: String(found['name']), filterGroupId, filterGroupName }];
  });

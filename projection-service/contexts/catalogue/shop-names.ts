import type { ShopFilter } from '#contracts/shop-products.contract.ts';
import { collection } from '#entities/collection.entity.ts';
import { filterGroup } from '#entities/filter-group.entity.ts';
import { filter } from '#entities/filter.entity.ts';
import { productType } from '#entities/product-type.entity.ts';
import { distinctNames, type DistinctNames } from '#reference/distinct-names.ts';
import type { Reference } from '#reference/reference.ts';
import { plainText } from '#values/words.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface NamedFilter extends Named {
  readonly hexColour: string | null;
  readonly image: string | null;
}

export interface NamedGroup extends Named {
  readonly filters: readonly NamedFilter[];
}

/** What shoppers read of the resources that products name, in their orders, and how they address them. */
export interface ShopNames {
  readonly slugs: () => DistinctNames;
  readonly aliases: () => DistinctNames;
  readonly groups: () => readonly NamedGroup[];
  readonly collections: () => readonly Named[];
  readonly types: () => readonly Named[];
  /** The collections and types of a name, slug, alias or id, in any case. */
  readonly categories: (named: string) => readonly string[];
}

const collator = new Intl.Collator('en');
const byName = (one: Named, other: Named): number => collator.compare(one.name, other.name);

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** All of a kind in the order of the shop. */
const inPlace = ({ entities }: Reference, category: string) =>
  Array.from(entities.all(category), ([id, fields]) => ({
    id,
    name: String(fields['name']),
    sortOrder: Number(fields['sortOrder'] ?? 0),
    fields,
  })).sort((one, other) => one.sortOrder - other.sortOrder || byName(one, other));

const named = (reference: Reference, category: string): readonly Named[] =>
  inPlace(reference, category).map(({ id, name }) => ({ id, name }));

const groupsOf = (reference: Reference): readonly NamedGroup[] => {
  const filters = Map.groupBy(inPlace(reference, filter.category), ({ fields }) => fields['filterGroupId']);
  return inPlace(reference, filterGroup.category).map(({ id, name }) => ({
    id,
    name,
    filters: (filters.get(id) ?? []).map((one) => ({
      id: one.id,
      name: one.name,
      hexColour: textOrNull(one.fields['hexColour']),
      image: textOrNull(one.fields['image']),
    })),
  }));
};

/** Ids of collections and types by what they are called. */
const categoriesOf = (
  reference: Reference,
  slugs: DistinctNames,
  aliases: DistinctNames,
): ReadonlyMap<string, readonly string[]> => {
  const called = [
    ...named(reference, collection.category).map(({ id, name }) => ({ id, words: [name, slugs.of(id), id] })),
    ...named(reference, productType.category).map(({ id, name }) => ({
      id,
      words: [name, aliases.of(id), id],
    })),
  ].flatMap(({ id, words }) => [...new Set(words.map(plainText))].map((word) => ({ id, word })));
  const byWord = Map.groupBy(called, ({ word }) => word);
  return new Map(Array.from(byWord, ([word, some]) => [word, some.map(({ id }) => id)]));
};

/** Sorting names takes longer than anything else of a list: it is done when one of them has changed. */
export const createShopNames = (reference: Reference): ShopNames => {
  const { entities, changes } = reference;
  const untilChanged = <Value>(make: () => Value): (() => Value) => {
    let [made, madeAt] = [make(), changes()];
    return () => {
      if (madeAt !== changes()) [made, madeAt] = [make(), changes()];
      return made;
    };
  };
  const slugs = untilChanged(() => distinctNames(entities, collection.category, 'slug'));
  const aliases = untilChanged(() => distinctNames(entities, productType.category, 'alias'));
  const categories = untilChanged(() => categoriesOf(reference, slugs(), aliases()));
  return {
    slugs,
    aliases,
    categories: (word) => categories().get(plainText(word.trim())) ?? [],
    groups: untilChanged(() => groupsOf(reference)),
    collections: untilChanged(() => named(reference, collection.category)),
    types: untilChanged(() => named(reference, productType.category)),
  };
};

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

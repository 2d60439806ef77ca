import type { ShopFacets, ShopProductsQuery } from '#contracts/shop-products.contract.ts';
import { collection } from '#entities/collection.entity.ts';
import { filterGroup } from '#entities/filter-group.entity.ts';
import { filter } from '#entities/filter.entity.ts';
import { productType } from '#entities/product-type.entity.ts';
import { refuseProblems } from '#kernel/entity.ts';
import type { EntityReference } from '#reference/reference.ts';
import type { Facets } from '#reference/search/count-facets.ts';
import type { ProductQuery, ProductSearcher } from '#reference/search/product-search.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import { plainText } from '#values/words.ts';
import { nameIn, type ShopNames } from './shop-names.ts';
import { priceShownIn, type ShopView } from './shop-products.queries.ts';

const names = ['filters', 'price', 'availability', 'collections', 'productTypes', 'tags'] as const;
type FacetName = (typeof names)[number];

/** What of the facets is asked for. */
export interface FacetsAsked {
  readonly names: ReadonlySet<FacetName>;
  /** Null: every group. */
  readonly groupIds: ReadonlySet<string> | null;
}

const isName = (word: string): word is FacetName => names.some((name) => name === word);

/** What `facets` says; null: nothing. Errors: `invalid-request`. */
export const facetsAsked = (
  entities: EntityReference,
  { facets }: Pick<ShopProductsQuery, 'facets'>,
): FacetsAsked | null => {
  const words = facets.filter((word) => word !== '' && word !== 'false');
  if (words.length === 0) return null;
  if (words.includes('true')) return { names: new Set(names), groupIds: null };
  const groupIds = words.filter((word) => !isName(word)).map((word) => word.toLowerCase());
  if (!groupIds.every((id) => entities.has(filterGroup.category, id)))
    refuseProblems([`facets: must be true, false, or some of ${names.join(', ')} and ids of filter groups`]);
  const asked = new Set<FacetName>(words.filter(isName));
  const isEveryGroup = asked.has('filters') || groupIds.length === 0;
  if (groupIds.length > 0) asked.add('filters');
  return { names: asked, groupIds: isEveryGroup ? null : new Set(groupIds) };
};

/** A facet names so many tags, those of the most products. */
const MAX_TAGS = 100;

const collator = new Intl.Collator('en');
const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  collator.compare(one.name, other.name);

interface Placed {
  readonly name: string;
  readonly sortOrder: number;
}
const byPlace = (one: Placed, other: Placed): number => one.sortOrder - other.sortOrder || byName(one, other);

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const filterGroupsOf = (
  { entities }: ShopView['reference'],
  counts: Facets['filters'],
  chosen: ReadonlySet<string>,
  groupIds: FacetsAsked['groupIds'],
): ShopFacets['filterGroups'] => {
  const shown = [...new Set([...counts.keys(), ...chosen])].flatMap((id) => {
    const found = entities.find(filter.category, id);
    return found ? [{ id, fields: found, groupId: String(found['filterGroupId']) }] : [];
  });
  return [...Map.groupBy(shown, ({ groupId }) => groupId)]
    .filter(([id]) => groupIds?.has(id) ?? true)
    .map(([id, filters]) => {
      const group = entities.find(filterGroup.category, id);
      return {
        id,
        name: String(group?.['name'] ?? ''),
        sortOrder: Number(group?.['sortOrder'] ?? 0),
        filters,
      };
    })
    .sort(byPlace)
    .map(({ id, name, filters }) => ({
      id,
      name,
      filters: filters
        .map((one) => ({
          ...one,
          name: String(one.fields['name']),
          sortOrder: Number(one.fields['sortOrder']),
        }))
        .sort(byPlace)
        .map((one) => ({
          id: one.id,
          name: one.name,
          hexColour: textOrNull(one.fields['hexColour']),
          image: textOrNull(one.fields['image']),
          count: counts.get(one.id) ?? 0,
          isSelected: chosen.has(one.id),
        })),
    }));
};

/** Those that are found, and the chosen one, by name. */
const choicesOf = (
  { reference }: ShopView,
  category: string,
  counts: ReadonlyMap<string, number>,
  chosen: string | undefined,
) =>
  [...new Set([...counts.keys(), ...(chosen === undefined ? [] : [chosen])])]
    .flatMap((id) => {
      const name = nameIn(reference, category, id);
      return name === null ? [] : [{ id, name, count: counts.get(id) ?? 0, isSelected: id === chosen }];
    })
    .sort(byName);

const tagsOf = (
  search: ProductSearcher,
  counts: Facets['tags'],
  chosen: string | undefined,
): ShopFacets['tags'] => {
  const plain = chosen === undefined ? undefined : plainText(chosen);
  return [...counts]
    .sort(([one, ones], [other, others]) => others - ones || collator.compare(one, other))
    .filter(([tag], place) => place < MAX_TAGS || tag === plain)
    .map(([tag, count]) => ({ name: search.tagName(tag), count, isSelected: tag === plain }));
};

const priceOf = (view: ShopView, spans: Facets['prices']): ShopFacets['price'] => {
  if (spans.length === 0) return null;
  const { currency } = view.presentation.display;
  const min = Math.min(...spans.map(({ low, taxGroupId }) => priceShownIn(view, low, taxGroupId)));
  const max = Math.max(...spans.map(({ high, taxGroupId }) => priceShownIn(view, high, taxGroupId)));
  return {
    min: toDecimal(min, currency),
    max: toDecimal(max, currency),
    formattedMin: formatMoney(min, currency),
    formattedMax: formatMoney(max, currency),
  };
};

/** What else can be chosen of what is listed (docs/rules/search.md#facets). */
export const facetsOf = (
  view: ShopView,
  search: ProductSearcher,
  { slugs, aliases }: ShopNames,
  query: ProductQuery,
  { names: asked, groupIds }: FacetsAsked,
): ShopFacets => {
  const counts = search.facets(query);
  const { collectionId, productTypeId, tag, filterGroups = [] } = query;
  const { available, unavailable } = counts;
  const facets: { readonly [Name in FacetName]: () => ShopFacets } = {
    filters: () => ({
      filterGroups: filterGroupsOf(view.reference, counts.filters, new Set(filterGroups.flat()), groupIds),
    }),
    price: () => ({ price: priceOf(view, counts.prices) }),
    availability: () => ({ availability: { available, unavailable } }),
    collections: () => ({
      collections: choicesOf(view, collection.category, counts.collections, collectionId).map((one) => ({
        ...one,
        slug: slugs().of(one.id),
      })),
    }),
    productTypes: () => ({
      productTypes: choicesOf(view, productType.category, counts.productTypes, productTypeId).map((one) => ({
        ...one,
        alias: aliases().of(one.id),
      })),
    }),
    tags: () => ({ tags: tagsOf(search, counts.tags, tag) }),
  };
  return Object.assign({}, ...[...asked].map((name) => facets[name]())) as ShopFacets;
};

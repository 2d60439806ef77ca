import type { ShopFacets, ShopProductsQuery } from '#contracts/shop-products.contract.ts';
import { filterGroup } from '#entities/filter-group.entity.ts';
import { refuseProblems } from '#kernel/entity.ts';
import type { EntityReference } from '#reference/reference.ts';
import type { Facets } from '#reference/search/count-facets.ts';
import type { ProductQuery, ProductSearcher } from '#reference/search/product-search.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import { plainText } from '#values/words.ts';
import type { NamedGroup, ShopNames } from './shop-names.ts';
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

const filterGroupsOf = (
  groups: readonly NamedGroup[],
  counts: Facets['filters'],
  chosen: ReadonlySet<string>,
  groupIds: FacetsAsked['groupIds'],
): ShopFacets['filterGroups'] =>
  groups
    .filter(({ id }) => groupIds?.has(id) ?? true)
    .map(({ id, name, filters }) => ({
      id,
      name,
      filters: choicesOf(filters, counts, (one) => chosen.has(one)),
    }))
    .filter(({ filters }) => filters.length > 0);

/** Those that are found, and the chosen ones. */
const choicesOf = <One extends { readonly id: string }>(
  all: readonly One[],
  counts: ReadonlyMap<string, number>,
  isChosen: (id: string) => boolean,
) => {
  const choices: (One & { count: number; isSelected: boolean })[] = [];
  for (const one of all) {
    const [count, isSelected] = [counts.get(one.id) ?? 0, isChosen(one.id)];
    if (count > 0 || isSelected) choices.push({ ...one, count, isSelected });
  }
  return choices;
};

const tagsOf = (
  search: ProductSearcher,
  counts: Facets['tags'],
  chosen: string | undefined,
): ShopFacets['tags'] => {
  const plain = chosen === undefined ? undefined : plainText(chosen);
  return [...counts]
    .sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
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
  { slugs, aliases, groups, collections, types }: ShopNames,
  query: ProductQuery,
  { names: asked, groupIds }: FacetsAsked,
): ShopFacets => {
  const counts = search.facets(query);
  const { collectionId, productTypeId, tag, filterGroups = [] } = query;
  const { available, unavailable } = counts;
  const facets: { readonly [Name in FacetName]: () => ShopFacets } = {
    filters: () => ({
      filterGroups: filterGroupsOf(groups(), counts.filters, new Set(filterGroups.flat()), groupIds),
    }),
    price: () => ({ price: priceOf(view, counts.prices) }),
    availability: () => ({ availability: { available, unavailable } }),
    collections: () => ({
      collections: choicesOf(collections(), counts.collections, (id) => id === collectionId).map((one) => ({
        ...one,
        slug: slugs().of(one.id),
      })),
    }),
    productTypes: () => ({
      productTypes: choicesOf(types(), counts.productTypes, (id) => id === productTypeId).map((one) => ({
        ...one,
        alias: aliases().of(one.id),
      })),
    }),
    tags: () => ({ tags: tagsOf(search, counts.tags, tag) }),
  };
  return Object.assign({}, ...[...asked].map((name) => facets[name]())) as ShopFacets;
};

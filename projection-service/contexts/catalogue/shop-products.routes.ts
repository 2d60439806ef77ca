import { pageResponse } from '#contracts/listing.contract.ts';
import {
  shopCollectionsResponse,
  shopProductResponse,
  shopProductParams,
  shopProductsResponse,
  shopProductsQuery,
  type ShopProductsQuery,
} from '#contracts/shop-products.contract.ts';
import { filter } from '#entities/filter.entity.ts';
import { currencyCookie, placeOf } from '#http/cookies.ts';
import { ok, route, visitor, type Route, type RouteRequest } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import type { DistinctNames } from '#reference/distinct-names.ts';
import { requestedLocation } from '#reference/location.ts';
import { presentationFor } from '#reference/presentation.ts';
import {
  productSearchOf,
  type ProductQuery,
  type ProductSearcher,
} from '#reference/search/product-search.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import { productListProjection, type ProductDocument } from './product-list.projection.ts';
import { createProductTexts } from './product-texts.ts';
import { facetsAsked, facetsOf } from './shop-facets.queries.ts';
import { createShopNames, type ShopNames } from './shop-names.ts';
import { cardOf, currencyShown, priceBoundsOf, type ShopView } from './shop-products.queries.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'storefront', service: 'projection', caller: visitor, file } as const;
const view = productListProjection.name;

const viewFor = (deps: ProjectionDeps, { cookies }: Pick<RouteRequest, 'cookies'>): ShopView => ({
  reference: deps.reference,
  settings: deps.settings(),
  presentation: presentationFor(deps, cookies[currencyCookie]),
  location: requestedLocation({}, placeOf(cookies), deps.settings(), deps.reference.shipping),
});

/** What a shopper names by its id or by a word of its own; nothing is called by an unknown one. */
const idNamed = (names: DistinctNames, named: string | undefined): string | undefined =>
  named === undefined ? undefined : (names.owner(named) ?? named.toLowerCase());

/** The filters of so many groups are asked for at once: each is counted as if nothing of it were chosen. */
const MAX_GROUPS = 10;

/** Filters of one group are alternatives. Errors: `invalid-request` for one that the shop does not have. */
const groupsOf = (
  { reference }: ProjectionDeps,
  filters: readonly string[],
): readonly (readonly string[])[] => {
  const groups = Map.groupBy(new Set(filters), (id) => {
    const found = reference.entities.find(filter.category, id);
    if (!found) refuseProblems([`filter: must be an existing filter, which "${id}" is not`]);
    return found?.['filterGroupId'];
  });
  if (groups.size > MAX_GROUPS) refuseProblems([`filter: must be filters of at most ${MAX_GROUPS} groups`]);
  return [...groups.values()];
};

const askedOf = (
  deps: ProjectionDeps,
  { slugs, aliases }: ShopNames,
  shopView: ShopView,
  query: ShopProductsQuery,
): ProductQuery => {
  const { search, tag, availableOnly, minPrice, maxPrice } = query;
  const priceBounds = priceBoundsOf(shopView, minPrice, maxPrice);
  return {
    search,
    collectionId: idNamed(slugs(), query.collection),
    productTypeId: idNamed(aliases(), query.productType),
    tag,
    filterGroups: groupsOf(deps, query.filter),
    availableOnly,
    ...defined({ priceBounds }),
  };
};

const listRoute = (deps: ProjectionDeps, search: ProductSearcher, names: ShopNames): Route =>
  route({
    ...common,
    path: '/products',
    summary: 'What the shop sells, by words, collection, type, tag, price, stock and filters, with facets',
    schemas: { query: shopProductsQuery },
    response: shopProductsResponse,
    reads: [referenceState],
    handle: async (request) => {
      const shopView = viewFor(deps, request);
      const { sort, page, pageSize } = request.query;
      const facets = facetsAsked(deps.reference.entities, request.query);
      const asked = askedOf(deps, names, shopView, request.query);
      const place = { sort, skip: (page - 1) * pageSize, limit: pageSize };
      const { products, totalItems } = search.find({ ...asked, ...place });
      const cards = products.map((product) => cardOf(shopView, product));
      return ok({
        success: true,
        message: '',
        ...currencyShown(shopView),
        ...pageResponse(cards, totalItems, request.query),
        ...(facets && { facets: facetsOf(shopView, search, names, asked, facets) }),
      });
    },
  });

const detailRoute = (deps: ProjectionDeps, search: ProductSearcher, names: ShopNames): Route => {
  const textOf = createProductTexts(names);
  return route({
    ...common,
    path: '/products/{idOrUrl}',
    summary: 'A product with what can be chosen of it, by its id or its address',
    schemas: { params: shopProductParams },
    response: shopProductResponse,
    errors: ['entity-not-found'],
    reads: [referenceState, productListProjection],
    handle: async (request) => {
      const product = search.product(request.params.idOrUrl);
      if (!product) throw notFound('product');
      const document = await deps.reader.get<ProductDocument>(view, product.id);
      const { description = null, metaDescription = null, pageTitle = null } = document?.fields ?? {};
      const texts = { description, metaDescription, pageTitle };
      return { status: 200, text: textOf(viewFor(deps, request), product, texts) };
    },
  });
};

const collectionsRoute = (search: ProductSearcher, { slugs, collections }: ShopNames): Route =>
  route({
    ...common,
    path: '/collections',
    summary: 'The collections of the shop by name, and how many products each shows',
    response: shopCollectionsResponse,
    reads: [referenceState],
    handle: async () => {
      const items = collections().map(({ id, name }) => ({
        id,
        name,
        slug: slugs().of(id),
        productCount: search.countIn(id),
      }));
      const whole = { page: 1, pageSize: Math.max(1, items.length) };
      return ok({ success: true, message: '', ...pageResponse(items, items.length, whole) });
    },
  });

/** What the shop sells, as shoppers see it (docs/rules/catalogue.md#products-for-shoppers). */
export const shopProductRoutes = (deps: ProjectionDeps): readonly Route[] => {
  const search = productSearchOf(deps.reference);
  const names = createShopNames(deps.reference);
  return [listRoute(deps, search, names), detailRoute(deps, search, names), collectionsRoute(search, names)];
};

import { pageResponse } from '#contracts/listing.contract.ts';
import {
  shopCollectionsResponse,
  shopProductResponse,
  shopProductParams,
  shopProductsResponse,
  shopProductsQuery,
  type ShopProductsQuery,
} from '#contracts/shop-products.contract.ts';
import { collection } from '#entities/collection.entity.ts';
import type { EntityType } from '#entities/define-entity.ts';
import { productType } from '#entities/product-type.entity.ts';
import { currencyCookie, placeOf } from '#http/cookies.ts';
import { ok, route, visitor, type Route, type RouteRequest } from '#http/route.ts';
import { defined } from '#kernel/defined.ts';
import { notFound } from '#kernel/entity.ts';
import { requestedLocation } from '#reference/location.ts';
import { presentationFor } from '#reference/presentation.ts';
import { createProductSearch, type ProductSearcher } from '#reference/product-search.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import { productListProjection, type ProductDocument } from './product-list.projection.ts';
import { cardOf, currencyShown, priceBoundsOf, type ShopView } from './shop-products.queries.ts';
import { createProductTexts } from './product-texts.ts';

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
const idNamed = <Fields extends object>(
  { reference }: ProjectionDeps,
  kind: EntityType<Fields>,
  field: keyof Fields & string,
  named: string | undefined,
): string | undefined => {
  if (named === undefined || reference.entities.has(kind.category, named)) return named;
  const wanted = named.toLowerCase();
  const owner = reference.entities.owner(kind, (fields) => String(fields[field]).toLowerCase() === wanted);
  return owner?.id ?? named;
};

/** Filters of one group are alternatives; one that is unknown is a group of its own, which nothing is in. */
const groupsOf = (
  { reference }: ProjectionDeps,
  filters: readonly string[],
): readonly (readonly string[])[] => [
  ...Map.groupBy(filters, (id) => reference.entities.find('filter', id)?.['filterGroupId'] ?? id).values(),
];

const askedOf = (deps: ProjectionDeps, shopView: ShopView, query: ShopProductsQuery) => {
  const { search, tag, minPrice, maxPrice, sort, page, pageSize } = query;
  const priceBounds = priceBoundsOf(shopView, minPrice, maxPrice);
  return {
    search,
    collectionId: idNamed(deps, collection, 'slug', query.collection),
    productTypeId: idNamed(deps, productType, 'alias', query.productType),
    tag,
    filterGroups: groupsOf(deps, query.filter),
    ...defined({ priceBounds }),
    sort,
    skip: (page - 1) * pageSize,
    limit: pageSize,
  };
};

const listRoute = (deps: ProjectionDeps, search: ProductSearcher): Route =>
  route({
    ...common,
    path: '/products',
    summary: 'What the shop sells, by words, collection, type, tag, price and filters',
    schemas: { query: shopProductsQuery },
    response: shopProductsResponse,
    reads: [referenceState],
    handle: async (request) => {
      const shopView = viewFor(deps, request);
      const { products, totalItems } = search.find(askedOf(deps, shopView, request.query));
      const cards = products.map((product) => cardOf(shopView, product));
      return ok({
        success: true,
        message: '',
        ...currencyShown(shopView),
        ...pageResponse(cards, totalItems, request.query),
      });
    },
  });

const detailRoute = (deps: ProjectionDeps, search: ProductSearcher): Route => {
  const textOf = createProductTexts();
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

const collectionsRoute = (deps: ProjectionDeps, search: ProductSearcher): Route =>
  route({
    ...common,
    path: '/collections',
    summary: 'The collections of the shop by name, and how many products each shows',
    response: shopCollectionsResponse,
    reads: [referenceState],
    handle: async () => {
      const collections = [...deps.reference.entities.all(collection.category)];
      const items = collections
        .map(([id, { name, slug }]) => ({
          id,
          name: String(name),
          slug: String(slug),
          productCount: search.countIn(id),
        }))
        .sort((one, other) => one.name.localeCompare(other.name, 'en'));
      const whole = { page: 1, pageSize: Math.max(1, items.length) };
      return ok({ success: true, message: '', ...pageResponse(items, items.length, whole) });
    },
  });

/** What the shop sells, as shoppers see it (docs/rules/catalogue.md#products-for-shoppers). */
export const shopProductRoutes = (deps: ProjectionDeps): readonly Route[] => {
  const search = createProductSearch(deps.reference.catalogue, deps.reference.entities);
  return [listRoute(deps, search), detailRoute(deps, search), collectionsRoute(deps, search)];
};

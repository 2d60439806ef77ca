import { setImmediate as nextTurn } from 'node:timers/promises';
import { entityParams } from '#contracts/management.contract.ts';
import { productResponse, productSchema } from '#entities/product.entity.ts';
import {
  productAutocompleteQuery,
  productListQuery,
  productRow as rowSchema,
  productsByIdsQuery,
  productSuggestions,
  type ProductRow,
  warehouseProductsQuery,
} from '#contracts/product-list.contract.ts';
import { shippingExclusions, shippingExclusionsResponse } from '#contracts/catalogue.contract.ts';
import { pageResponse, pageSchema } from '#contracts/listing.contract.ts';
import { productType, type ProductType } from '#entities/product-type.entity.ts';
import { warehouse } from '#entities/warehouse.entity.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { EntityDocument } from '../../entity-document.ts';
import { entityOrder, searchFilter } from '../../engine/entity-routes.ts';
import { listRoute } from '../../engine/list-view.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import { productListProjection, type ProductDocument } from './product-list.projection.ts';
import { productFilter, productRow, sentFrom, type RowOf } from './products.queries.ts';
import { stockLevelsProjection, type StockDocument } from './stock-levels.projection.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'management', service: 'projection', caller: reader, file } as const;
const view = productListProjection.name;
const stockView = stockLevelsProjection.name;
/** The most ids asked for in one turn of the event loop: a page of products may have very many variants. */
const IDS_AT_ONCE = 500;

const stockOf = async (deps: ProjectionDeps, products: readonly ProductDocument[]): Promise<RowOf> => {
  const ids = products.flatMap(({ variants }) => variants.map(({ id }) => id));
  const rows = new Map<string, StockDocument['rows']>();
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const some = ids.slice(from, from + IDS_AT_ONCE);
    for (const stock of await deps.reader.getMany<StockDocument>(stockView, some))
      rows.set(stock._id, stock.rows);
    await nextTurn();
  }
  return (productId, warehouseId) => rows.get(productId)?.[warehouseId];
};

const typeNames = async (
  deps: ProjectionDeps,
  products: readonly ProductDocument[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = [...new Set(products.map(({ fields }) => fields.productTypeId))];
  const types = await deps.reader.getMany<EntityDocument<ProductType>>(productType.list, ids);
  return new Map(types.map(({ _id, fields }) => [_id, fields.name]));
};

/** What rows are completed from. */
const completing = [stockLevelsProjection, { name: productType.list }];

const rowsOf = async (deps: ProjectionDeps, documents: readonly ProductDocument[]) => {
  const [rowOf, names] = await Promise.all([stockOf(deps, documents), typeNames(deps, documents)]);
  const currency = deps.settings().storeCurrencyCode;
  return documents.map((document) =>
    productRow(document, names.get(document.fields.productTypeId) ?? null, currency, rowOf),
  );
};

/** The most values in one condition. */
const MAX_WAREHOUSES = 900;

const warehousesOf = ({ reference }: ProjectionDeps, supplierId: string): readonly string[] =>
  [...reference.entities.all(warehouse.category)]
    .filter(([, fields]) => fields['supplierId'] === supplierId)
    .slice(0, MAX_WAREHOUSES)
    .map(([id]) => id);

const productsList = (deps: ProjectionDeps): Route =>
  listRoute<ProductDocument, typeof productListQuery>(deps, {
    path: '/products',
    summary: 'List products, newest first, by page',
    view: productListProjection,
    reads: [...completing, referenceState],
    query: productListQuery,
    order: entityOrder,
    filter: (query) => productFilter(query, (supplierId) => warehousesOf(deps, supplierId)),
    row: rowSchema,
    rows: (documents) => rowsOf(deps, documents),
    file,
  });

const warehouseProducts = (deps: ProjectionDeps): Route =>
  listRoute<ProductDocument, typeof warehouseProductsQuery>(deps, {
    path: '/warehouses/{id}/products',
    summary: 'List the products that a warehouse may send, newest first, by page',
    view: productListProjection,
    reads: [...completing, referenceState],
    query: warehouseProductsQuery,
    order: entityOrder,
    filter: (query) => productFilter(query, () => []),
    within: (id) => {
      if (!deps.reference.entities.has(warehouse.category, id)) throw notFound(warehouse.noun);
      return sentFrom([id]);
    },
    row: rowSchema,
    rows: (documents) => rowsOf(deps, documents),
    file,
  });

/** Rows of the list in the order of the ids, each once; an id of a variant stands for its product. */
const byIdsRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/products/by-ids',
    summary: 'The rows of some products, named by their ids or those of their variants',
    schemas: { query: productsByIdsQuery },
    response: pageSchema(rowSchema),
    reads: [productListProjection, ...completing, referenceState],
    handle: async ({ query }) => {
      const { catalogue } = deps.reference;
      const ids = [...new Set(query.ids.map((id) => catalogue.variant(id)?.rootId ?? id))];
      const found = await deps.reader.getMany<ProductDocument>(view, ids);
      const documents = ids.flatMap((id) => found.find(({ _id }) => _id === id) ?? []);
      const whole = { page: 1, pageSize: ids.length };
      return ok(pageResponse(await rowsOf(deps, documents), documents.length, whole));
    },
  });

/** The variants of a product that a search means: all of them where it means the product. */
const variantsMeant = ({ id: productRootId, variants, ...root }: ProductRow, search: string) => {
  const means = (...texts: readonly string[]): boolean => texts.join(' ').toLowerCase().includes(search);
  const named = variants.filter(({ name, sku }) => means(name, sku));
  const { rootName, isDigitalProduct, images } = root;
  return (named.length > 0 ? named : variants).map((variant) => ({
    ...variant,
    productId: variant.id,
    productRootId,
    rootName,
    isDigitalProduct,
    image: images[0] ?? null,
  }));
};

const autocompleteRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/orders/product-autocomplete',
    summary: 'Products that match a search at the order desk, one entry per variant',
    schemas: { query: productAutocompleteQuery },
    response: productSuggestions,
    reads: [productListProjection, ...completing, referenceState],
    handle: async ({ query: { search, query, limit } }) => {
      const wanted = (search ?? query ?? '').toLowerCase();
      const documents = await deps.reader.find<ProductDocument>(view, {
        filter: searchFilter(wanted),
        sort: [
          ['dateCreated', -1],
          ['_id', -1],
        ],
        limit,
      });
      const rows = await rowsOf(deps, documents);
      return ok({ items: rows.flatMap((row) => variantsMeant(row, wanted)).slice(0, limit) });
    },
  });

const exclusionsRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/products/{id}/shipping-exclusions',
    summary: 'The shipping options by which the variants of a product are not sent',
    schemas: { params: entityParams },
    response: shippingExclusionsResponse,
    errors: ['entity-not-found'],
    reads: [productListProjection],
    handle: async (request) => {
      const document = await deps.reader.get<ProductDocument>(view, request.params.id);
      if (!document) throw notFound('product');
      return ok(shippingExclusions(document.variants));
    },
  });

const detailRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/products/{id}',
    summary: 'Show a product with its variants and their stock',
    schemas: { params: entityParams },
    response: productSchema,
    errors: ['entity-not-found'],
    reads: [productListProjection, stockLevelsProjection],
    handle: async (request) => {
      const document = await deps.reader.get<ProductDocument>(view, request.params.id);
      if (!document) throw notFound('product');
      const { _id: id, fields: root, variants, dateCreated, dateUpdated } = document;
      const rowOf = await stockOf(deps, [document]);
      const product = { id, root, variants, dateCreated, dateUpdated };
      return ok(productResponse(product, deps.settings().storeCurrencyCode, rowOf));
    },
  });

export const productRoutes = (deps: ProjectionDeps): readonly Route[] => [
  productsList(deps),
  byIdsRoute(deps),
  autocompleteRoute(deps),
  warehouseProducts(deps),
  exclusionsRoute(deps),
  detailRoute(deps),
];

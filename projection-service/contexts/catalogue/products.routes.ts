import { setImmediate as nextTurn } from 'node:timers/promises';
import { entityParams } from '#contracts/management.contract.ts';
import { productAnswer, productSchema } from '#entities/product.entity.ts';
import { productListQuery, productRow as rowSchema } from '#contracts/product-list.contract.ts';
import { productType, type ProductType } from '#entities/product-type.entity.ts';
import { warehouse } from '#entities/warehouse.entity.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import type { EntityDocument } from '../../entity-document.ts';
import { entityOrder } from '../../engine/entity-routes.ts';
import { listRoute } from '../../engine/list-view.ts';
import { referenceState, type ProjectionDeps } from '../../engine/service-deps.ts';
import { productListProjection, type ProductDocument } from './product-list.projection.ts';
import { productFilter, productRow, type RowOf } from './products.queries.ts';
import { stockLevelsProjection, type StockDocument } from './stock-levels.projection.ts';

const file = import.meta.url;
const common = { method: 'GET', base: 'management', service: 'projection', caller: reader, file } as const;
const view = productListProjection.name;
const stockView = stockLevelsProjection.name;
/** So many ids are asked for in one turn of the event loop: a page of products may have very many variants. */
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

/** So many values are asked for in a condition at most. */
const MAX_WAREHOUSES = 900;

/** The warehouses of a supplier. */
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
    reads: [stockLevelsProjection, { name: productType.list }, referenceState],
    query: productListQuery,
    order: entityOrder,
    filter: (query) => productFilter(query, (supplierId) => warehousesOf(deps, supplierId)),
    row: rowSchema,
    rows: async (documents) => {
      const [rowOf, names] = await Promise.all([stockOf(deps, documents), typeNames(deps, documents)]);
      const currency = deps.settings().storeCurrencyCode;
      return documents.map((document) =>
        productRow(document, names.get(document.fields.productTypeId) ?? null, currency, rowOf),
      );
    },
    file,
  });

const detailRoute = (deps: ProjectionDeps): Route =>
  route({
    ...common,
    path: '/products/{id}',
    summary: 'Show a product with its variants and their stock',
    schemas: { params: entityParams },
    answer: productSchema,
    errors: ['entity-not-found'],
    reads: [productListProjection, stockLevelsProjection],
    handle: async (request) => {
      const document = await deps.reader.get<ProductDocument>(view, request.params.id);
      if (!document) throw notFound('product');
      const { _id: id, fields: root, variants, dateCreated, dateUpdated } = document;
      const rowOf = await stockOf(deps, [document]);
      const product = { id, root, variants, dateCreated, dateUpdated };
      return ok(productAnswer(product, deps.settings().storeCurrencyCode, rowOf));
    },
  });

export const productRoutes = (deps: ProjectionDeps): readonly Route[] => [
  productsList(deps),
  detailRoute(deps),
];

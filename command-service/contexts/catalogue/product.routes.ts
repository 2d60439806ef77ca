import { idOfCreated, managementPath } from '#command/engine/entity-routes.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import {
  changeProduct,
  changeVariant,
  createProduct,
  createVariant,
  productParams,
  variantParams,
} from '#contracts/catalogue.contract.ts';
import type { CurrencyOf } from '#contracts/management.contract.ts';
import { productAnswer, productSchema, variantAnswer, variantSchema } from '#contracts/product-answer.ts';
import { admin, created, noContent, ok, route, type Route, type RouteRequest } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { variantPatch, type VariantIdOf } from './product-body.ts';
import type { Products, SavedProduct } from './products.ts';

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: 'command-service/contexts/catalogue/product.routes.ts',
} as const;

const path = '/products';

/** Ids of new variants: derived when the request may be repeated. */
const variantIds = ({ commandId }: RouteRequest): VariantIdOf =>
  commandId === undefined ? () => newId() : (sku) => derivedId('variant', commandId, sku);

const wholeProductRoutes = (products: Products, currency: CurrencyOf): readonly Route[] => {
  const show = ({ product, levelOf }: SavedProduct) => productAnswer(product, currency(), levelOf);
  return [
    route({
      ...common,
      method: 'POST',
      path,
      summary: 'Create a product with its variants and their stock',
      schemas: { body: createProduct(currency) },
      answer: productSchema,
      status: 201,
      errors: ['invalid-request', 'value-taken'],
      isIdempotent: true,
      handle: async (request) => {
        const id = idOfCreated('product', request);
        const saved = await products.create(id, request.body, variantIds(request), metaOf(request));
        return created(`${managementPath}${path}/${id}`, show(saved), { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/{id}`,
      summary: 'Change a product: the given fields are replaced, given variants matched, changed or added',
      schemas: { params: productParams, body: changeProduct(currency) },
      answer: productSchema,
      errors: ['invalid-request', 'entity-not-found', 'value-taken'],
      handle: async (request) => {
        const { params, body } = request;
        const saved = await products.change(params.id, body, variantIds(request), metaOf(request));
        return ok(show(saved), { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Delete a product of which nothing is reserved',
      schemas: { params: productParams },
      errors: ['entity-not-found', 'still-used'],
      handle: async (request) =>
        noContent({ position: await products.remove(request.params.id, metaOf(request)) }),
    }),
  ];
};

const variantRoutes = (products: Products, currency: CurrencyOf): readonly Route[] => {
  const show = ({ product, levelOf }: SavedProduct, variantId: string) => {
    const variant = product.variants.find(({ id }) => id === variantId);
    if (!variant) throw notFound('variant');
    return variantAnswer(variant, currency(), levelOf);
  };
  return [
    route({
      ...common,
      method: 'POST',
      path: `${path}/{id}/variants`,
      summary: 'Add a variant to a product',
      schemas: { params: productParams, body: createVariant(currency) },
      answer: variantSchema,
      status: 201,
      errors: ['invalid-request', 'entity-not-found', 'value-taken'],
      isIdempotent: true,
      handle: async (request) => {
        const { params, body } = request;
        const variantId = variantIds(request)(body.sku);
        const patch = variantPatch(body, 'none', '', variantId);
        const saved = await products.patchVariant(params.id, patch, body.stock ?? [], metaOf(request));
        const location = `${managementPath}${path}/${params.id}/variants/${variantId}`;
        return created(location, show(saved, variantId), { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/{id}/variants/{variantId}`,
      summary: 'Change a variant: the given fields are replaced',
      schemas: { params: variantParams, body: changeVariant(currency) },
      answer: variantSchema,
      errors: ['invalid-request', 'entity-not-found', 'value-taken'],
      handle: async (request) => {
        const { params, body } = request;
        const { variantId } = params;
        const product = await products.load(params.id);
        if (!product?.variants.some(({ id }) => id === variantId)) throw notFound('variant');
        const patch = variantPatch(body, { id: variantId }, '', variantId);
        const saved = await products.patchVariant(params.id, patch, body.stock ?? [], metaOf(request));
        return ok(show(saved, variantId), { position: saved.position });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/{id}/variants/{variantId}`,
      summary: 'Remove a variant of which nothing is reserved',
      schemas: { params: variantParams },
      errors: ['entity-not-found', 'still-used'],
      handle: async (request) => {
        const { id, variantId } = request.params;
        return noContent({ position: await products.removeVariant(id, variantId, metaOf(request)) });
      },
    }),
  ];
};

/**
 * Products and their variants (docs/rules/catalogue.md#products-and-variants). Their lists are the projection
 * service's.
 */
export const productRoutes = (products: Products, currency: CurrencyOf): readonly Route[] => [
  ...wholeProductRoutes(products, currency),
  ...variantRoutes(products, currency),
];

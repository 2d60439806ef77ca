import { idOfCreated } from '#command/engine/command-meta.ts';
import { managementPath } from '#command/engine/entity-routes.ts';
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
import { productAnswer, productSchema, variantAnswer, variantSchema } from '#entities/product.entity.ts';
import { admin, created, noContent, ok, route, type Route } from '#http/route.ts';
import type { ProductActions, SavedProduct, SavedVariant } from './product.actions.ts';

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
} as const;

const path = '/products';

const wholeProductRoutes = (actions: ProductActions, currency: CurrencyOf): readonly Route[] => {
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
        const saved = await actions.create(id, request.body, metaOf(request));
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
      errors: ['invalid-request', 'entity-not-found', 'value-taken', 'still-used'],
      handle: async (request) => {
        const { params, body } = request;
        const saved = await actions.change(params.id, body, metaOf(request));
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
        noContent({ position: await actions.remove(request.params.id, metaOf(request)) }),
    }),
  ];
};

const variantRoutes = (actions: ProductActions, currency: CurrencyOf): readonly Route[] => {
  const show = ({ variant, levelOf }: SavedVariant) => variantAnswer(variant, currency(), levelOf);
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
        const saved = await actions.addVariant(params.id, body, metaOf(request));
        const location = `${managementPath}${path}/${params.id}/variants/${saved.variant.id}`;
        return created(location, show(saved), { position: saved.position });
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
        const saved = await actions.changeVariant(params.id, params.variantId, body, metaOf(request));
        return ok(show(saved), { position: saved.position });
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
        return noContent({ position: await actions.removeVariant(id, variantId, metaOf(request)) });
      },
    }),
  ];
};

/**
 * Products and their variants (docs/rules/catalogue.md#products-and-variants). Their lists are the projection
 * service's.
 */
export const productRoutes = (actions: ProductActions, currency: CurrencyOf): readonly Route[] => [
  ...wholeProductRoutes(actions, currency),
  ...variantRoutes(actions, currency),
];

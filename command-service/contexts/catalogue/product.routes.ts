import { resourceRoutes, managementPath } from '#command/engine/entity-routes.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import {
  changeProduct,
  changeVariant,
  createProduct,
  createVariant,
  productParams,
  variantParams,
} from '#contracts/catalogue.contract.ts';
import type { CurrencyOf } from '#fields/body-fields.ts';
import { productResponse, productSchema, variantResponse, variantSchema } from '#entities/product.entity.ts';
import { admin, created, noContent, ok, route, type Route } from '#http/route.ts';
import type { ProductActions, SavedVariant } from './product.actions.ts';

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
} as const;

const path = '/products';

const wholeProductRoutes = (actions: ProductActions, currency: CurrencyOf): readonly Route[] =>
  resourceRoutes({
    file: common.file,
    path,
    noun: 'product',
    response: productSchema,
    actions,
    show: ({ product, levelOf }) => productResponse(product, currency(), levelOf),
    bodies: { create: createProduct(currency), change: changeProduct(currency) },
    summaries: {
      create: 'Create a product with its variants and their stock',
      change: 'Change a product: the given fields are replaced, given variants matched, changed or added',
      remove: 'Delete a product of which nothing is reserved',
    },
    furtherErrors: { change: ['still-used'], remove: ['still-used'] },
  });

const variantRoutes = (actions: ProductActions, currency: CurrencyOf): readonly Route[] => {
  const show = ({ variant, levelOf }: SavedVariant) => variantResponse(variant, currency(), levelOf);
  return [
    route({
      ...common,
      method: 'POST',
      path: `${path}/{id}/variants`,
      summary: 'Add a variant to a product',
      schemas: { params: productParams, body: createVariant(currency) },
      response: variantSchema,
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
      response: variantSchema,
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

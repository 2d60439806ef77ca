import { metaOf } from '#command/engine/request-meta.ts';
import { addonSku, chooseAddons } from '#command/pricing/addons.ts';
import {
  addonPreview,
  excludeShipping,
  previewAddons,
  productParams,
  shippingExclusions,
  shippingExclusionsResponse,
  variantParams,
} from '#contracts/catalogue.contract.ts';
import type { CurrencyOf } from '#fields/body-fields.ts';
import type { ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { toDecimal } from '#values/money.ts';
import type { AddonChoice } from '#command/pricing/addons.ts';
import type { ProductActions } from './product.actions.ts';

const common = { base: 'management', service: 'command', file: import.meta.url } as const;

/** A unit with its add-ons, in the store's currency and before tax. */
const withAddons = (
  root: ProductRoot,
  { id, sku, price, costOfGoods }: ProductVariant,
  choices: readonly AddonChoice[],
  currency: string,
) => {
  const { chosen, problem } = chooseAddons(root, choices);
  if (chosen === null) throw new Rejection('add-on-invalid', `addons: ${problem}`);
  const sumOf = (of: 'priceAdjustment' | 'costAdjustment'): number =>
    chosen.reduce((sum, { value }) => sum + value[of], 0);
  return {
    variantId: id,
    sku,
    currencyCode: currency,
    basePrice: toDecimal(price, currency),
    price: toDecimal(price + sumOf('priceAdjustment'), currency),
    costOfGoods: toDecimal(costOfGoods + sumOf('costAdjustment'), currency),
    addons: chosen.map(({ option, value }) => ({
      optionId: option.id,
      valueId: value.id,
      name: `${option.name}: ${value.name}`,
      sku: addonSku(sku, value),
      priceAdjustment: toDecimal(value.priceAdjustment, currency),
      costAdjustment: toDecimal(value.costAdjustment, currency),
      weightKg: value.weightKg,
    })),
  };
};

/** What staff ask of products beside keeping them (docs/rules/catalogue.md#shipping-exclusions). */
export const productToolRoutes = (actions: ProductActions, currency: CurrencyOf): readonly Route[] => [
  route({
    ...common,
    caller: reader,
    method: 'POST',
    path: '/products/{id}/variants/{variantId}/preview-addons',
    summary: 'What a variant costs with add-ons; nothing is kept',
    schemas: { params: variantParams, body: previewAddons },
    response: addonPreview,
    errors: ['entity-not-found', 'add-on-invalid'],
    handle: async ({ params, body }) => {
      const product = await actions.load(params.id);
      const variant = product?.variants.find(({ id }) => id === params.variantId);
      if (!product || !variant) throw notFound('variant');
      return ok(withAddons(product.root, variant, body.addons, currency()));
    },
  }),
  route({
    ...common,
    caller: admin,
    method: 'PUT',
    path: '/products/{id}/shipping-exclusions',
    summary: 'Say by which shipping options variants of a product are not sent',
    schemas: { params: productParams, body: excludeShipping },
    response: shippingExclusionsResponse,
    errors: ['invalid-request', 'entity-not-found'],
    handle: async (request) => {
      const { params, body } = request;
      const { product, position } = await actions.excludeShipping(params.id, body, metaOf(request));
      return ok(shippingExclusions(product.variants), { position });
    },
  }),
];

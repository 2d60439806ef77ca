import type { ShippingProvider } from '#entities/shipping-provider.entity.ts';
import { rulesOn } from '#kernel/entity.ts';
import { carrierOf } from '#values/carriers.ts';
import { fieldProblem } from '#values/provider-field.ts';

const rule = rulesOn<ShippingProvider>();

/** What a carrier's settings must be: those that it knows (docs/rules/shipping.md#carriers). */
export const shippingProviderRules = [
  rule(['providerKey', 'configuration'], ({ providerKey, configuration }) => {
    const fields = carrierOf(providerKey)?.fields ?? [];
    return Object.entries(configuration).flatMap(([key, value]) => {
      const field = fields.find((one) => one.key === key);
      const problem = field ? fieldProblem(field, value) : `${providerKey} has no such setting`;
      return problem === null ? [] : [`configuration.${key}: ${problem}`];
    });
  }),
];

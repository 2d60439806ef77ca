import type { ShippingProvider } from '#entities/shipping-provider.entity.ts';
import { rulesOn } from '#kernel/entity.ts';
import { carrierOf, type ProviderField } from '#values/carriers.ts';

const rule = rulesOn<ShippingProvider>();
const MOST = 1_000_000;

const expected = ({ type, options = [] }: ProviderField, value: unknown): string | null => {
  if (type === 'select')
    return options.includes(String(value)) ? null : `must be one of ${options.join(', ')}`;
  return typeof value === 'number' && value >= 0 && value <= MOST
    ? null
    : `must be a number from 0 to ${MOST}`;
};

/** What a carrier's settings must be: those that it knows (docs/rules/shipping.md#carriers). */
export const shippingProviderRules = [
  rule(['providerKey', 'configuration'], ({ providerKey, configuration }) => {
    const fields = carrierOf(providerKey)?.fields ?? [];
    return Object.entries(configuration).flatMap(([key, value]) => {
      const field = fields.find((one) => one.key === key);
      const problem = field ? expected(field, value) : `${providerKey} has no such setting`;
      return problem === null ? [] : [`configuration.${key}: ${problem}`];
    });
  }),
];

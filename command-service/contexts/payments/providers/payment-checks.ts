import { summaryOf, type ShopCheck } from '#command/engine/shop-check.ts';
import type { ShopProviders } from './shop-providers.ts';

type Looked = Pick<ShopProviders, 'all' | 'offered' | 'missing'>;

/** Providers that cannot take payments as they are configured. */
const unfinished = ({ all, missing }: Looked): ShopCheck => ({
  alias: 'payment-provider-settings',
  name: 'Settings of payment providers',
  description: 'Whether payment providers have all that they need.',
  icon: 'icon-credit-card',
  sortOrder: 20,
  severity: 'warning',
  summary: summaryOf(
    'payment provider is not set up',
    'payment providers are not set up',
    'All payment providers are set up.',
  ),
  *look() {
    for (const provider of all()) {
      const fields = missing(provider);
      if (fields.length === 0) continue;
      yield {
        id: provider.alias,
        name: provider.displayName,
        description: `It needs ${fields.join(', ')}.`,
        editPath: `/payment-providers/${provider.alias}`,
        imageUrl: null,
      };
    }
  },
});

/** A shop that shoppers cannot pay. */
export const paymentChecks = (providers: Looked): readonly ShopCheck[] => [
  {
    alias: 'no-payment-method',
    name: 'Payment methods',
    description: 'Whether shoppers are offered a way to pay.',
    icon: 'icon-credit-card',
    sortOrder: 10,
    severity: 'error',
    summary: (found) =>
      found === 0 ? 'Shoppers can pay.' : 'No payment method is set up: shoppers cannot buy.',
    *look() {
      if (providers.offered().length > 0) return;
      yield {
        id: 'payments',
        name: 'Payment methods',
        description: 'Name one in Payments.Providers, and switch it on.',
        editPath: null,
        imageUrl: null,
      };
    },
  },
  unfinished(providers),
];

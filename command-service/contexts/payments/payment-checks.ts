import type { ShopCheck } from '#command/engine/shop-check.ts';

/** A shop that shoppers cannot pay. */
export const paymentChecks = (offered: readonly unknown[]): readonly ShopCheck[] => [
  {
    alias: 'no-payment-method',
    name: 'Payment methods',
    description: 'Whether shoppers are offered a way to pay.',
    icon: 'icon-credit-card',
    sortOrder: 10,
    severity: 'error',
    summary: (found) =>
      found === 0 ? 'Shoppers can pay.' : 'No payment method is set up: nobody can buy anything.',
    *look() {
      if (offered.length > 0) return;
      yield {
        id: 'payments',
        name: 'Payment methods',
        description: 'Name one in Payments.Providers.',
        editPath: null,
        imageUrl: null,
      };
    },
  },
];

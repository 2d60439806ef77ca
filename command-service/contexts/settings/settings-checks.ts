import type { ShopCheck } from '#command/engine/shop-check.ts';
import type { StoreSettings } from '#values/store-settings.ts';

/** A shop of which nobody knows where its shoppers see it (docs/rules/management.md#health-checks). */
export const storefrontCheck = (settings: () => Pick<StoreSettings, 'websiteUrl'>): ShopCheck => ({
  alias: 'storefront-missing',
  name: 'Storefront',
  description: 'Whether the shop knows where its shoppers see it.',
  icon: 'icon-home',
  sortOrder: 20,
  severity: 'warning',
  summary: (found) =>
    found === 0
      ? 'The shop knows its storefront.'
      : 'The shop has no storefront: mails and links lead nowhere.',
  *look() {
    if (settings().websiteUrl !== null) return;
    yield {
      id: 'storefront',
      name: 'Storefront',
      description: 'Set websiteUrl to the address at which shoppers see the shop.',
      editPath: '/settings',
      imageUrl: null,
    };
  },
});

import type { ShopCheck } from '#command/engine/shop-check.ts';
import type { Config } from '#runtime/config.ts';
import type { StoreSettings } from '#values/store-settings.ts';

/** A shop whose storefront address is unknown (docs/rules/management.md#health-checks). */
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

/** A list of agents that anyone can join: without signatures an agent is whoever it claims to be. */
export const agentsCheck = ({ protocol: { ucp } }: Pick<Config, 'protocol'>): ShopCheck => ({
  alias: 'agents-unverified',
  name: 'Agents',
  description: 'Whether agents on the list have to prove their identity.',
  icon: 'icon-robot',
  sortOrder: 30,
  severity: 'warning',
  summary: (found) =>
    found === 0
      ? 'Agents that may buy are verified, or all may buy.'
      : 'Only listed agents may buy, but none has to prove its identity.',
  *look() {
    if (ucp.requireSignature || ucp.allowedAgents.includes('*')) return;
    yield {
      id: 'agents',
      name: 'Agents',
      description:
        'Set Protocol.Ucp.RequireSignature, as the address of a profile proves nothing, or allow all agents.',
      editPath: null,
      imageUrl: null,
    };
  },
});

import { OLDER_VERSION } from './dialect-choice.ts';
import type { DialectName } from './agent-request.ts';
import type { CapabilityName } from './protocol-parts.ts';

export const capability = {
  checkout: 'dev.ucp.shopping.checkout',
  order: 'dev.ucp.shopping.order',
  identityLinking: 'dev.ucp.common.identity_linking',
  cart: 'dev.ucp.shopping.cart',
  catalogSearch: 'dev.ucp.shopping.catalog.search',
  catalogLookup: 'dev.ucp.shopping.catalog.lookup',
  discount: 'dev.ucp.shopping.discount',
  fulfillment: 'dev.ucp.shopping.fulfillment',
  buyerConsent: 'dev.ucp.shopping.buyer_consent',
  ap2Mandate: 'dev.ucp.shopping.ap2_mandate',
} as const satisfies Readonly<Record<string, CapabilityName>>;

type Switch = 'checkout' | 'order' | 'identityLinking' | 'cart' | 'catalog';
type ExtensionSwitch = 'discount' | 'fulfillment' | 'buyerConsent' | 'ap2Mandates';

/** What the configuration switches. */
export interface CapabilitySettings {
  readonly capabilities: Readonly<Record<Switch, boolean>>;
  readonly extensions: Readonly<Record<ExtensionSwitch, boolean>>;
}

/** Something that agents can do here (docs/rules/agents.md#capabilities). */
export interface OfferedCapability {
  readonly name: CapabilityName;
  /** What it extends; empty: it stands by itself. */
  readonly parents: readonly CapabilityName[];
  /** Paths below the protocol's own address. */
  readonly page: string;
  readonly schema: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

interface Root extends Omit<OfferedCapability, 'parents'> {
  readonly switch: Switch;
  /** The older version does not know it. */
  readonly isNewer?: true;
}

interface Extension extends OfferedCapability {
  readonly switch: ExtensionSwitch;
}

const draft = { draft: true };

const roots: readonly Root[] = [
  {
    name: capability.checkout,
    switch: 'checkout',
    page: 'specification/checkout',
    schema: 'schemas/shopping/checkout.json',
  },
  {
    name: capability.order,
    switch: 'order',
    page: 'specification/order',
    schema: 'schemas/shopping/order.json',
  },
  {
    name: capability.identityLinking,
    switch: 'identityLinking',
    page: 'specification/identity-linking',
    schema: 'schemas/common/identity_linking.json',
    config: { scopes: {} },
  },
  {
    name: capability.cart,
    switch: 'cart',
    isNewer: true,
    page: 'specification/cart',
    schema: 'schemas/shopping/cart.json',
    config: draft,
  },
  {
    name: capability.catalogSearch,
    switch: 'catalog',
    isNewer: true,
    page: 'specification/catalog/search',
    schema: 'schemas/shopping/catalog_search.json',
    config: draft,
  },
  {
    name: capability.catalogLookup,
    switch: 'catalog',
    isNewer: true,
    page: 'specification/catalog/lookup',
    schema: 'schemas/shopping/catalog_lookup.json',
    config: draft,
  },
];

const extensions: readonly Extension[] = [
  {
    name: capability.discount,
    switch: 'discount',
    parents: [capability.checkout, capability.cart],
    page: 'specification/discount',
    schema: 'schemas/shopping/discount.json',
  },
  {
    name: capability.fulfillment,
    switch: 'fulfillment',
    parents: [capability.checkout],
    page: 'specification/fulfillment',
    schema: 'schemas/shopping/fulfillment.json',
  },
  {
    name: capability.buyerConsent,
    switch: 'buyerConsent',
    parents: [capability.checkout],
    page: 'specification/buyer-consent',
    schema: 'schemas/shopping/buyer_consent.json',
  },
  {
    name: capability.ap2Mandate,
    switch: 'ap2Mandates',
    parents: [capability.checkout],
    page: 'specification/ap2-mandates',
    schema: 'schemas/shopping/ap2_mandate.json',
    config: { vp_formats_supported: { 'dc+sd-jwt': {} } },
  },
];

/** What the shop offers in a dialect, in the order of the manifest. Extensions need checkout. */
export const offeredCapabilities = (
  settings: CapabilitySettings,
  dialect: DialectName,
): readonly OfferedCapability[] => {
  const own = roots
    .filter((root) => settings.capabilities[root.switch] && (dialect !== OLDER_VERSION || !root.isNewer))
    .map(({ switch: _, isNewer: __, ...root }): OfferedCapability => ({ ...root, parents: [] }));
  if (!settings.capabilities.checkout) return own;
  const offered = new Set(own.map(({ name }) => name));
  const added = extensions
    .filter((extension) => settings.extensions[extension.switch])
    .map(({ switch: _, parents, ...extension }): OfferedCapability => {
      return { ...extension, parents: parents.filter((parent) => offered.has(parent)) };
    });
  return [...own, ...added];
};

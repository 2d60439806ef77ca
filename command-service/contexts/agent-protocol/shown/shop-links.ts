import type { ProtocolLink } from '#agents/protocol-parts.ts';

/** What every session and cart links to. */
export const shopLinks = (storefront: string): readonly ProtocolLink[] => [
  { type: 'terms_of_service', url: `${storefront}/terms` },
  { type: 'privacy_policy', url: `${storefront}/privacy` },
];

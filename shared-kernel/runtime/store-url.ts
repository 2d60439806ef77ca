import type { Config } from './config.ts';

/**
 * Where links in mails lead to: scheme and host of the store; null when nobody has said so. That of the request is
 * whatever somebody has called the shop, and no place to send a key to: it is taken where nobody is in earnest.
 */
export const storeUrlOf =
  (
    { publicBaseUrl, isProduction }: Pick<Config, 'publicBaseUrl' | 'isProduction'>,
    websiteUrl: () => string | null,
  ) =>
  ({ baseUrl }: { readonly baseUrl: string }): string | null =>
    publicBaseUrl ?? (isProduction ? websiteUrl() : baseUrl);

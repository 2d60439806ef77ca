import type { Config } from './config.ts';

/**
 * Where links in mails lead: scheme and host of the store; null if not configured. A request's host is whatever its
 * sender wrote, and no place to send a key: it is used outside production only.
 */
export const storeUrlOf =
  (
    { publicBaseUrl, isProduction }: Pick<Config, 'publicBaseUrl' | 'isProduction'>,
    websiteUrl: () => string | null,
  ) =>
  ({ baseUrl }: { readonly baseUrl: string }): string | null =>
    publicBaseUrl ?? (isProduction ? websiteUrl() : baseUrl);

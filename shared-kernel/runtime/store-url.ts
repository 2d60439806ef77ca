import type { Config } from './config.ts';

/**
 * Where links in mails lead to: scheme and host of the store; null when not configured. The request's host is
 * whatever its sender has written, and no place to send a key to: it is used outside production only.
 */
export const storeUrlOf =
  (
    { publicBaseUrl, isProduction }: Pick<Config, 'publicBaseUrl' | 'isProduction'>,
    websiteUrl: () => string | null,
  ) =>
  ({ baseUrl }: { readonly baseUrl: string }): string | null =>
    publicBaseUrl ?? (isProduction ? websiteUrl() : baseUrl);

import type { Config } from './config.ts';

/** The shop's own address, with scheme and host; else the website's, which must then pass requests on. */
export const shopUrlOf = (
  { protocol, publicBaseUrl, port }: Pick<Config, 'protocol' | 'publicBaseUrl' | 'port'>,
  { websiteUrl }: { readonly websiteUrl: string | null },
): string => protocol.publicBaseUrl || publicBaseUrl || websiteUrl || `http://localhost:${port}`;

import type { Config } from './config.ts';

/** Where the shop itself answers, with scheme and host: a website passes requests on, if its owner has seen to that. */
export const shopUrlOf = (
  { protocol, publicBaseUrl, port }: Pick<Config, 'protocol' | 'publicBaseUrl' | 'port'>,
  { websiteUrl }: { readonly websiteUrl: string | null },
): string => protocol.publicBaseUrl || publicBaseUrl || websiteUrl || `http://localhost:${port}`;

/** Where people shop: the owner's pages, else the demo. `baseUrl`: this shop's address as the request has it. */
export const storefrontUrl = (websiteUrl: string | null, baseUrl: string): string =>
  (websiteUrl ?? `${baseUrl}/demo`).replace(/\/+$/, '');

/** An address on the web as a whole; null where it is none. `base`: what one without a host belongs to. */
export const absoluteUrl = (address: string, base: string): string | null => {
  const url = URL.parse(address, base);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null;
};

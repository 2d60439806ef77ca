/** Where people shop: the owner's pages, else the demo. `baseUrl`: this shop's address as the request has it. */
export const storefrontUrl = (websiteUrl: string | null, baseUrl: string): string =>
  (websiteUrl ?? `${baseUrl}/demo`).replace(/\/+$/, '');

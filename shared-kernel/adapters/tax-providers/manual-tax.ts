import type { TaxProvider } from '#ports/tax-provider.ts';

/** The shop's own rates: no provider is asked. */
export const manualTax: TaxProvider = {
  alias: 'manual',
  displayName: "The shop's own rates",
  fields: [],
  calculate: null,
};

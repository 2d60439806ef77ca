import type { ExchangeRateProvider } from '#ports/exchange-rate-provider.ts';
import { manualRates } from '#values/exchange-rate-providers.ts';

/** The rates entered by hand. */
export const manualRateProvider: ExchangeRateProvider = {
  alias: 'manual',
  problems: () => Promise.resolve([]),
  fetchRates: (base, configuration) =>
    Promise.resolve({ kind: 'rates', rates: manualRates(configuration, base), quotedAt: null }),
};

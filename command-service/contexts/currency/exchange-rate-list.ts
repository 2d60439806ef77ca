import { storeList, type StoreList } from '#command/engine/store-list.ts';
import { manualRateEntry } from '#contracts/currency.contract.ts';
import type { CurrencyOf } from '#fields/body-fields.ts';
import type { RateProviderActions } from './rate-providers.actions.ts';

/** The rates of a store file: those of the manual provider, by the currency that is their key. */
export const exchangeRateList = (actions: RateProviderActions, currency: CurrencyOf): StoreList => {
  const entry = manualRateEntry(currency);
  return storeList({
    name: 'exchangeRates',
    references: [],
    create: entry,
    change: entry,
    problemsOf: () => [],
    uniqueIn: ({ key }) => [{ kind: 'exchange rate', value: key, path: 'key' }],
    exists: () => Promise.resolve(false),
    createEntry: (_, { key, rate }, meta) => actions.setManualRate(key, rate, currency(), meta),
    changeEntry: (_, { key, rate }, meta) => actions.setManualRate(key, rate, currency(), meta),
  });
};

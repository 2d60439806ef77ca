import type { CommandModule, ModuleDeps } from '#command/engine/module.ts';
import { newId } from '#kernel/ids.ts';
import type { Job } from '#runtime/job-runner.ts';
import { activeRateProvider } from '#values/exchange-rate-providers.ts';
import { exchangeRateList } from './exchange-rate-list.ts';
import { rateChecks } from './rate-checks.ts';
import { createRateProviderActions, type RateProviderActions } from './rate-providers.actions.ts';
import { rateProviderRoutes } from './rate-providers.routes.ts';
import { refreshRates } from './refresh-rates.job.ts';
import { createShopperCurrencyActions } from './shopper-currency.actions.ts';
import { shopperCurrencyRoutes } from './shopper-currency.routes.ts';

const refreshJob = ({ config, reference, settings }: ModuleDeps, actions: RateProviderActions): Job => {
  const { provider: named, refreshIntervalMinutes } = config.exchangeRates;
  return refreshRates({
    known: () => {
      const view = reference.exchangeRates.current();
      return { view, provider: activeRateProvider(named, view.provider) };
    },
    refresh: async () => {
      const correlationId = newId();
      const actor = { kind: 'system', id: 'refresh-rates' } as const;
      return (await actions.refresh({ correlationId, causationId: correlationId, actor })).failure;
    },
    everyMinutes: refreshIntervalMinutes,
    freshMinutes: () => settings().exchangeRateCacheMinutes,
  });
};

export const currency: CommandModule = {
  name: 'currency',
  create: (deps) => {
    const { provider: namedProvider, url } = deps.config.exchangeRates;
    const actions = createRateProviderActions({
      ...deps,
      providers: deps.rateProviders,
      namedProvider,
      fixedFields: url === null ? [] : ['frankfurter.url'],
    });
    const storeCurrency = (): string => deps.settings().storeCurrencyCode;
    return {
      jobs: [refreshJob(deps, actions)],
      shopChecks: rateChecks({
        rates: () => deps.reference.exchangeRates.current(),
        namedProvider,
        lifetime: () => deps.settings().exchangeRateCacheMinutes,
        now: () => deps.clock.now(),
      }),
      routes: [
        ...shopperCurrencyRoutes(createShopperCurrencyActions(deps)),
        ...rateProviderRoutes({ actions, storeCurrency, namedProvider }),
      ],
      storeLists: (ofStore) => [exchangeRateList(actions, ofStore)],
    };
  },
};

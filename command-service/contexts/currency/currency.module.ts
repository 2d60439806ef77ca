import type { CommandModule } from '#command/engine/module.ts';
import { exchangeRateList } from './exchange-rate-list.ts';
import { rateChecks } from './rate-checks.ts';
import { createRateProviderActions } from './rate-providers.actions.ts';
import { rateProviderRoutes } from './rate-providers.routes.ts';
import { createShopperCurrencyActions } from './shopper-currency.actions.ts';
import { shopperCurrencyRoutes } from './shopper-currency.routes.ts';

export const currency: CommandModule = {
  name: 'currency',
  create: (deps) => {
    const namedProvider = deps.config.exchangeRates.provider;
    const actions = createRateProviderActions({ ...deps, providers: deps.rateProviders, namedProvider });
    const storeCurrency = (): string => deps.settings().storeCurrencyCode;
    return {
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

import type { ProjectionModule } from '#projection/engine/module.ts';
import { rateProviderRoutes } from './rate-providers.routes.ts';
import { shopperCurrencyRoutes } from './shopper-currency.routes.ts';

export const currency: ProjectionModule = {
  name: 'currency',
  routes: (deps) => [...shopperCurrencyRoutes(deps), ...rateProviderRoutes(deps)],
};

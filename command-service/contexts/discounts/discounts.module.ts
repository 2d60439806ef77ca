import type { CommandModule } from '#command/engine/module.ts';
import { discountRoutes } from './discount.routes.ts';
import { discountStoreList } from './discount-store-list.ts';
import { createDiscountActions } from './discount.actions.ts';

export const discounts: CommandModule = {
  name: 'discounts',
  create: (deps) => {
    const actionsIn = (currency: () => string) => createDiscountActions(deps, deps.claims, currency);
    return {
      routes: discountRoutes(
        actionsIn(() => deps.settings().storeCurrencyCode),
        deps,
      ),
      storeLists: (currency) => [discountStoreList(actionsIn(currency), deps.reference, currency)],
    };
  },
};

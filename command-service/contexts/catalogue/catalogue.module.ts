import { createEntityActions } from '#command/engine/entity.actions.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { productType } from '#entities/product-type.entity.ts';
import { defaultProductType } from './default-product-type.ts';
import { createProductActions } from './product.actions.ts';
import { productRoutes } from './product.routes.ts';
import { productStoreList } from './product-store-list.ts';
import { productChecks } from './product-checks.ts';
import { productNotices } from './product.notices.ts';

export const catalogue: CommandModule = {
  name: 'catalogue',
  notices: [productNotices],
  create: (deps) => {
    const { claims, settings } = deps;
    const inStore = (): string => settings().storeCurrencyCode;
    const types = createEntityActions(productType, {}, deps, { currency: inStore });
    const actions = createProductActions(deps, claims, defaultProductType(deps, types));
    return {
      shopChecks: productChecks(deps.reference.catalogue),
      routes: productRoutes(actions, inStore),
      storeLists: (currency) => [productStoreList(actions, deps, currency)],
      actions: { catalogue: actions },
    };
  },
};

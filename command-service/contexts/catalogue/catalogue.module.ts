import { keepEntities } from '#command/engine/entity-keeper.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { entities } from '#entities/entities.ts';
import { productType } from '#entities/product-type.entity.ts';
import { defaultProductType } from './default-product-type.ts';
import { createProductActions } from './product.actions.ts';
import { productRoutes } from './product.routes.ts';
import { productStoreList } from './product-store-list.ts';

export const catalogue: CommandModule = {
  name: 'catalogue',
  create: (deps) => {
    const { claims, settings, reference } = deps;
    const types = keepEntities(productType, {}, entities, deps, claims);
    const actions = createProductActions(deps, claims, defaultProductType(deps, types));
    return {
      routes: productRoutes(actions, () => settings().storeCurrencyCode),
      storeLists: (currency) => [productStoreList(actions, reference, currency)],
      actions: { catalogue: actions },
    };
  },
};

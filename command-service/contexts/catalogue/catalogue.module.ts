import { createEntityActions } from '#command/engine/entity.actions.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { productType } from '#entities/product-type.entity.ts';
import { defaultProductType } from './default-product-type.ts';
import { createProductActions } from './product.actions.ts';
import { productRoutes } from './product.routes.ts';
import { productToolRoutes } from './product-tools.routes.ts';
import { productStoreList } from './product-store-list.ts';
import { productChecks } from './product-checks.ts';
import { productHooks } from './product.hooks.ts';
import { createProductSyncActions } from './csv/product-sync.actions.ts';
import { productSyncJobs } from './csv/product-sync.job.ts';
import { productSyncRoutes } from './csv/product-sync.routes.ts';
import { createSyncRuns } from './csv/product-sync-runs.ts';

export const catalogue: CommandModule = {
  name: 'catalogue',
  beforeHooks: [productHooks],
  create: async (deps) => {
    const { claims, settings } = deps;
    const inStore = (): string => settings().storeCurrencyCode;
    const types = createEntityActions(productType, {}, deps, { currency: inStore });
    const actions = createProductActions(deps, claims, defaultProductType(deps, types));
    const runs = createSyncRuns(deps.stateStore, deps.clock);
    await runs.declare();
    const sync = createProductSyncActions({ ...deps, runs, products: actions, types });
    return {
      shopChecks: productChecks(deps.reference.catalogue, deps.reference),
      routes: [
        ...productRoutes(actions, inStore),
        ...productToolRoutes(actions, inStore),
        ...productSyncRoutes(sync),
      ],
      jobs: productSyncJobs(sync, runs),
      prepare: async () => {
        // What an earlier process left is taken up beside the shop's own work.
        sync.goOn().catch((err: unknown) => deps.log.error({ err }, 'an import could not be taken up'));
      },
      stop: () => sync.stop(),
      storeLists: (currency) => [productStoreList(actions, deps, currency)],
      actions: { catalogue: actions },
    };
  },
};

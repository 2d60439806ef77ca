import { rulesFor } from '#command/engine/entity-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { warehouse } from '#entities/warehouse.entity.ts';
import { passOnDefault } from './pass-on-default.process.ts';
import { createStockActions } from './stock.actions.ts';
import { stockRoutes } from './stock.routes.ts';
import { stockHooks } from './stock.hooks.ts';
import { warehouseRules } from './warehouse-rows.ts';

export const inventory: CommandModule = {
  name: 'inventory',
  processes: [passOnDefault],
  beforeHooks: [stockHooks],
  entityRules: [rulesFor(warehouse, warehouseRules)],
  create: (deps) => {
    const actions = createStockActions(deps);
    return {
      routes: stockRoutes(actions),
      drivers: { [passOnDefault.name]: actions },
      actions: { inventory: actions },
    };
  },
};

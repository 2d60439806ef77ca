import type { CommandModule } from '#command/engine/module.ts';
import { createStockActions } from './stock.actions.ts';
import { stockRoutes } from './stock.routes.ts';

export const inventory: CommandModule = {
  name: 'inventory',
  create: (deps) => {
    const actions = createStockActions(deps);
    return { routes: stockRoutes(actions), actions: { inventory: actions } };
  },
};

import type { CommandModule } from '#command/engine/module.ts';
import { passOnDefault } from './pass-on-default.process.ts';
import { createStockActions } from './stock.actions.ts';
import { stockRoutes } from './stock.routes.ts';
import { stockNotices } from './stock.notices.ts';

export const inventory: CommandModule = {
  name: 'inventory',
  processes: [passOnDefault],
  notices: [stockNotices],
  create: (deps) => {
    const actions = createStockActions(deps);
    return {
      routes: stockRoutes(actions),
      drivers: { [passOnDefault.name]: actions },
      actions: { inventory: actions },
    };
  },
};

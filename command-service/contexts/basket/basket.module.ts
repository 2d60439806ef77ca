import type { CommandModule } from '#command/engine/module.ts';
import { createBasketActions } from './basket.actions.ts';
import { basketRoutes } from './basket.routes.ts';
import { basketNotices } from './basket.notices.ts';

export const basket: CommandModule = {
  name: 'basket',
  notices: [basketNotices],
  create: (deps) => {
    const actions = createBasketActions(deps);
    return { routes: basketRoutes(actions, deps), actions: { basket: actions } };
  },
};

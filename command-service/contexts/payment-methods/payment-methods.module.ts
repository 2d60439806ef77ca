import type { CommandModule } from '#command/engine/module.ts';
import { createForgetting } from './forget-methods.ts';
import { forgetMethods } from './forget-methods.process.ts';
import { createSavedMethods } from './saved-methods.actions.ts';
import { savedMethodHooks } from './saved-method.hooks.ts';
import { savedMethodRoutes } from './saved-methods.routes.ts';
import { createSavedMethodRows } from './setup-sessions.ts';

export const paymentMethods: CommandModule = {
  name: 'payment-methods',
  beforeHooks: [savedMethodHooks],
  processes: [forgetMethods],
  create: async (deps) => {
    const rows = await createSavedMethodRows(deps);
    const forgetting = createForgetting(deps);
    const actions = createSavedMethods({ ...deps, rows, forgetting });
    return {
      routes: savedMethodRoutes(actions, deps),
      jobs: [rows.purge],
      drivers: { [forgetMethods.name]: forgetting },
      actions: { savedMethods: actions },
    };
  },
};

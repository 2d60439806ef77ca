import type { CommandModule } from '#command/engine/module.ts';
import { createUnsubscribeTokens } from '#runtime/unsubscribe-tokens.ts';
import { createUnsubscribing } from './unsubscribing/unsubscribe.actions.ts';
import { unsubscribeRoutes } from './unsubscribing/unsubscribe.routes.ts';

export const abandonedCheckouts: CommandModule = {
  name: 'abandoned-checkouts',
  create: (deps) => {
    const tokens = createUnsubscribeTokens(deps.keys.applicationKey);
    return { routes: unsubscribeRoutes(createUnsubscribing({ ...deps, tokens })) };
  },
};

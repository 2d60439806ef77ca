import type { CommandModule } from '#command/engine/module.ts';
import { createTokens } from '#runtime/tokens.ts';
import { recordUserChanges } from './record-user-changes.job.ts';
import { createSignInGuard } from './sign-in-guard.ts';
import { createUserActions } from './user.actions.ts';
import { createRecordChanges } from './user-changes.ts';
import { userRoutes } from './user.routes.ts';

export const identity: CommandModule = {
  name: 'identity',
  create: async (deps) => {
    const { clock, config, keys } = deps;
    const { tokenHours, signInAttemptsPerMinute: attemptsPerMinute } = config.backoffice;
    const tokens = createTokens(keys.tokenKey, () => clock.now());
    const record = createRecordChanges(deps);
    const actions = await createUserActions({ ...deps, tokens, tokenHours, record });
    return {
      jobs: [recordUserChanges(deps.stateStore, record)],
      routes: userRoutes({ actions, signInGuard: createSignInGuard({ ...deps, attemptsPerMinute }) }),
    };
  },
};

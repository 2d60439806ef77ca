import type { CommandModule } from '#command/engine/module.ts';
import type { Job } from '#runtime/job-runner.ts';
import { storeUrlOf } from '#runtime/store-url.ts';
import { createTokens } from '#runtime/tokens.ts';
import { createAccountLinks, type AccountLinks } from './account-links.ts';
import { createLockOut, type LockOut } from './lock-out.ts';
import { createMemberBaskets, type MemberBaskets } from './member-baskets.ts';
import { createMemberActions } from './member.actions.ts';
import { memberRoutes } from './member.routes.ts';
import { memberTestingRoutes } from './member-testing.routes.ts';

const purge = (lockOut: LockOut, links: AccountLinks): Job => ({
  name: 'purge-members',
  schedule: '37 * * * *',
  runOnce: async () => ({ links: await links.sweep(), networks: await lockOut.sweep() }),
});

const membersBaskets = ({ take: takeBasket, settle, customerOf }: MemberBaskets) => ({
  takeBasket,
  settle,
  customerOf,
});

const MAIL_WINDOW_SECONDS = 900;

export const members: CommandModule = {
  name: 'members',
  create: async (deps) => {
    const { clock, config, keys, limits, settings } = deps;
    const tokens = createTokens(keys.memberTokenKey, () => clock.now(), 'member');
    const { memberTokenHours: tokenHours } = config.storefront;
    const [lockOut, links] = await Promise.all([createLockOut(deps), createAccountLinks(deps)]);
    const actions = await createMemberActions({ ...deps, tokens, tokenHours, lockOut, links });
    const mailLimit = limits.perWindow('forgot password', MAIL_WINDOW_SECONDS);
    const baskets = createMemberBaskets(deps);
    return {
      routes: memberRoutes({
        ...deps,
        actions,
        baskets,
        mailLimit,
        storeUrl: storeUrlOf(config, () => settings().websiteUrl),
      }),
      testingRoutes: memberTestingRoutes(actions),
      jobs: [purge(lockOut, links)],
      actions: { members: { ...actions, ...membersBaskets(baskets) } },
    };
  },
};

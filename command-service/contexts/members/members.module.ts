import type { CommandModule } from '#command/engine/module.ts';
import type { Job } from '#runtime/job-runner.ts';
import { storeUrlOf } from '#runtime/store-url.ts';
import { createTokens } from '#runtime/tokens.ts';
import { createAccountLinks, type AccountLinks } from './account-links.ts';
import { createAccountActions } from './account.actions.ts';
import { accountRoutes } from './account.routes.ts';
import { createAddressBook } from './addresses/address-book.actions.ts';
import { addressBookRoutes } from './addresses/address-book.routes.ts';
import { finishEmailChanges } from './finish-email-changes.job.ts';
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

const membersBaskets = ({ take: takeBasket, settle, identifyBuyer, customerOf }: MemberBaskets) => ({
  takeBasket,
  settle,
  identifyBuyer,
  customerOf,
});

/** Mails that may be asked for from one address, in a quarter of an hour. */
const MAILS_PER_WINDOW = 5;
const MAIL_WINDOW_SECONDS = 900;

export const members: CommandModule = {
  name: 'members',
  create: async (deps) => {
    const { clock, config, keys, limits, settings } = deps;
    const tokens = createTokens(keys.memberTokenKey, () => clock.now(), 'member');
    const { memberTokenHours: tokenHours } = config.storefront;
    const [lockOut, links] = await Promise.all([createLockOut(deps), createAccountLinks(deps)]);
    const memberDeps = { ...deps, tokens, tokenHours, lockOut, links };
    const actions = await createMemberActions(memberDeps);
    const accounts = createAccountActions(memberDeps);
    const baskets = createMemberBaskets(deps);
    const asked = {
      mailLimit: limits.perWindow('forgot password', MAIL_WINDOW_SECONDS),
      mailsPerWindow: MAILS_PER_WINDOW,
      storeUrl: storeUrlOf(config, () => settings().websiteUrl),
    };
    return {
      routes: [
        ...memberRoutes({ ...deps, ...asked, actions, baskets }),
        ...accountRoutes({ ...asked, accounts }),
        ...addressBookRoutes(createAddressBook(deps)),
      ],
      testingRoutes: memberTestingRoutes(actions),
      jobs: [purge(lockOut, links), finishEmailChanges(memberDeps)],
      actions: { members: { ...actions, ...membersBaskets(baskets) } },
    };
  },
};

import type { CommandModule } from '#command/engine/module.ts';
import { knowingBuyer } from '#command/engine/knowing-buyer.ts';
import { createAddressLimit } from '#http/own-limit.ts';
import { createReferralCookies } from '#http/referral-cookie.ts';
import { createBasketActions } from './basket.actions.ts';
import { basketRoutes } from './basket.routes.ts';
import { basketHooks } from './basket.hooks.ts';

export const basket: CommandModule = {
  name: 'basket',
  beforeHooks: [basketHooks],
  create: (deps) => {
    const newBaskets = createAddressLimit({
      now: () => deps.clock.now(),
      perMinute: () => deps.settings().newBasketsPerMinute,
      message: 'Too many new baskets. Please wait a minute and try again.',
    });
    const actions = createBasketActions({ ...deps, newBaskets });
    const referrals = createReferralCookies(deps.keys.applicationKey);
    const routes = basketRoutes(actions, { ...deps, referrals });
    return { routes: knowingBuyer(routes, deps), actions: { basket: actions } };
  },
};

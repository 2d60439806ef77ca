import { switchRoutes } from '#command/engine/entity-routes.ts';
import { rulesFor } from '#command/engine/entity-rules.ts';
import { datedHooks, statusJob } from '#command/engine/dated-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { discount } from '#entities/discount.entity.ts';
import { createDiscountActions, entityRules } from './discount.actions.ts';
import { discountCodeRoutes } from './discount-codes.routes.ts';
import { openWhatIf } from './what-if/open-what-if.ts';
import { whatIfRoutes } from './what-if/what-if.routes.ts';

export const discounts: CommandModule = {
  name: 'discounts',
  beforeHooks: [datedHooks('discount', 'DiscountStatusChangingNotification')],
  entityRules: [rulesFor(discount, entityRules)],
  create: async (deps) => {
    const actions = createDiscountActions(deps);
    const whatIf = await openWhatIf(deps, actions);
    const { changing } = deps.reference.discounts;
    return {
      jobs: [
        statusJob({
          ...deps,
          ...actions,
          name: 'discount-status',
          worksOff: 'discounts',
          noun: 'a discount',
          changing,
        }),
      ],
      routes: [
        ...switchRoutes(actions, import.meta.url, ['activate', 'deactivate']),
        ...discountCodeRoutes(deps.reference.discounts),
        ...whatIfRoutes({
          actions: whatIf,
          currency: () => deps.settings().storeCurrencyCode,
          problemsBeside: actions.problemsBeside,
        }),
      ],
      stop: whatIf.stop,
    };
  },
};

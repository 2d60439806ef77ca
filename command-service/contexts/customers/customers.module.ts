import { rulesFor } from '#command/engine/entity-rules.ts';
import type { CommandModule, ModuleDeps } from '#command/engine/module.ts';
import { customerSegment } from '#entities/customer-segment.entity.ts';
import { createAccountRemoval } from './account-removal.ts';
import { creditCheckRoutes } from './credit-check.routes.ts';
import { createCustomerActions } from './customer.actions.ts';
import { customerHooks } from './customer.hooks.ts';
import { customerStoreList } from './customer-store-list.ts';
import { customerRoutes } from './customer.routes.ts';
import { customerSegmentDecider, customerSegmentRules } from './customer-segment.decider.ts';
import { customerSegmentRoutes } from './customer-segment.routes.ts';
import { createCustomerForgetting } from './forgetting/forget-customer.ts';
import { forgetCustomer } from './forgetting/forget-customer.process.ts';
import { createForgettingActions } from './forgetting/forgetting.actions.ts';
import { forgettingRoutes } from './forgetting/forgetting.routes.ts';
import { rulesAbout } from './customer-segments.ts';
import { createPersonalDataActions } from './personal-data/personal-data.actions.ts';
import { personalDataRoutes } from './personal-data/personal-data.routes.ts';
import { removeAccount } from './remove-account.process.ts';
import { createSegmentMembers } from './segment-members.ts';

const keptDays = ({ config: { webhooks, mail } }: ModuleDeps) => ({
  deliveries: Math.max(webhooks.deliveryLogRetentionDays, mail.deliveryLogRetentionDays),
});

export const customers: CommandModule = {
  name: 'customers',
  processes: [removeAccount, forgetCustomer],
  beforeHooks: [customerHooks],
  entityRules: [
    rulesFor(customerSegment, {
      rules: customerSegmentRules,
      decider: customerSegmentDecider,
      dependents: (id, { reference }) => rulesAbout(id, reference),
    }),
  ],
  create: (deps) => {
    const currency = (): string => deps.settings().storeCurrencyCode;
    const accounts = createAccountRemoval(deps);
    const actions = createCustomerActions(deps, accounts);
    const forgetting = createCustomerForgetting(deps);
    return {
      routes: [
        ...customerRoutes(actions, currency),
        ...forgettingRoutes(createForgettingActions(deps, forgetting), keptDays(deps)),
        ...creditCheckRoutes(actions, currency),
        ...personalDataRoutes(createPersonalDataActions(deps)),
        ...customerSegmentRoutes(createSegmentMembers(deps), currency),
      ],
      drivers: { [removeAccount.name]: accounts, [forgetCustomer.name]: forgetting },
      actions: { customers: actions },
      storeLists: () => [customerStoreList(actions, deps)],
    };
  },
};

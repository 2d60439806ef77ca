import { datedDecider } from '#entities/dated-rule.ts';
import {
  upsellRule,
  type NewUpsell,
  type Upsell,
  type UpsellRuleEvent,
} from '#entities/upsell-rule.entity.ts';
import type { EntityDefinition } from '#kernel/entity.ts';

const { UpsellRuleActivated, UpsellRuleDeactivated, UpsellRuleExpired } = upsellRule.events.create;

export const upsellRuleDecider = datedDecider(
  upsellRule as EntityDefinition<Upsell, UpsellRuleEvent, NewUpsell>,
  {
    statusAtFirst: 'Draft',
    named: ({ name }) => ({ name }),
    activated: UpsellRuleActivated,
    deactivated: UpsellRuleDeactivated,
    expired: UpsellRuleExpired,
  },
);

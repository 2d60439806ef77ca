import type { Upsell } from '#entities/upsell-rule.entity.ts';
import { rulesOn } from '#kernel/entity.ts';

const rule = rulesOn<Upsell>();

/** What a rule must be as a whole (docs/rules/upsells.md#rules). */
export const upsellRuleRules = [
  rule(['startsAt', 'endsAt'], ({ startsAt, endsAt }) =>
    endsAt !== null && endsAt < startsAt ? ['endsAt: not before startsAt was expected'] : [],
  ),
];

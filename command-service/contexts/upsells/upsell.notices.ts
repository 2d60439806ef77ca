import { noticesOf } from '#command/engine/hooks.ts';
import type { Upsell } from '#entities/upsell-rule.entity.ts';
import type { EntityState } from '#kernel/entity.ts';
import type { SwitchUpsell } from './upsell-rule.decider.ts';

/** What hooks are asked before an upsell rule is switched on or off (docs/hooks.md#notifications). */
export const upsellNotices = noticesOf<EntityState<Upsell>, SwitchUpsell>('upsellRule', {
  ActivateUpsellRule: (_, state, id) => ['UpsellRuleStatusChangingNotification', about(state, id, true)],
  DeactivateUpsellRule: (_, state, id) => ['UpsellRuleStatusChangingNotification', about(state, id, false)],
  FollowUpsellRuleDates: (_, state, id) => [
    'UpsellRuleStatusChangingNotification',
    about(state, id, state.status === 'present' && state.fields.status === 'Scheduled'),
  ],
});

const about = (state: EntityState<Upsell>, id: string, isActivated: boolean): object => ({
  ...(state.status === 'present' ? state.fields : {}),
  id,
  isActivated,
});

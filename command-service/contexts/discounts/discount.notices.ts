import { noticesOf } from '#command/engine/hooks.ts';
import type { Discount } from '#entities/discount.entity.ts';
import type { EntityState } from '#kernel/entity.ts';
import type { SwitchDiscount } from './discount.decider.ts';

/** What hooks are asked before a discount is switched on or off (docs/hooks.md#notifications). */
export const discountNotices = noticesOf<EntityState<Discount>, SwitchDiscount>('discount', {
  ActivateDiscount: (_, state, id) => ['DiscountStatusChangingNotification', about(state, id, true)],
  DeactivateDiscount: (_, state, id) => ['DiscountStatusChangingNotification', about(state, id, false)],
  FollowDiscountDates: (_, state, id) => [
    'DiscountStatusChangingNotification',
    about(state, id, state.status === 'present' && state.fields.status === 'Scheduled'),
  ],
});

const about = (state: EntityState<Discount>, id: string, isActivated: boolean): object => ({
  ...(state.status === 'present' ? state.fields : {}),
  id,
  isActivated,
});

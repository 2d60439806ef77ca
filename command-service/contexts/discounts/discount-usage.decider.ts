import { discountUsageEvents, type DiscountUsageEvent } from '#events/discount.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import type {
  ClaimDiscountUse,
  DiscountUsageCommand,
  ReleaseDiscountUse,
} from './discount-usage.commands.ts';

/** A basket's use. `replaced` are earlier placements: what they still send is out of date. */
interface Use {
  readonly placementId: string;
  readonly customerId: string;
  readonly replaced: readonly string[];
}

export interface DiscountUsageState {
  readonly uses: number;
  /** By basket, and how many by customer. Both grow in place. */
  readonly byBasket: Record<string, Use>;
  readonly byCustomer: Record<string, number>;
}

const { DiscountUseClaimed, DiscountUseReleased } = discountUsageEvents.create;

const limitReached = (
  errorCode: 'UsageLimitReached' | 'CustomerUsageLimitReached',
  message: string,
): Rejection => new Rejection('usage-limit-reached', message, { errorCode });

const claim = (state: DiscountUsageState, command: ClaimDiscountUse): DiscountUsageEvent[] => {
  const { type: _, totalUsageLimit, perCustomerUsageLimit, ...use } = command;
  const held = state.byBasket[use.basketId];
  if (held?.replaced.includes(use.placementId)) return [];
  if (held?.placementId === use.placementId) return [];
  const uses = held ? state.uses : state.uses + 1;
  if (!held && totalUsageLimit !== null && uses > totalUsageLimit) {
    throw limitReached('UsageLimitReached', 'This discount has been used up.');
  }
  const isCustomersAlready = held?.customerId === use.customerId;
  const customerUses = (state.byCustomer[use.customerId] ?? 0) + (isCustomersAlready ? 0 : 1);
  if (!isCustomersAlready && perCustomerUsageLimit !== null && customerUses > perCustomerUsageLimit) {
    throw limitReached('CustomerUsageLimitReached', 'You have used this discount as often as it allows.');
  }
  return [DiscountUseClaimed({ ...use, uses })];
};

const release = (state: DiscountUsageState, command: ReleaseDiscountUse): DiscountUsageEvent[] => {
  const { discountId, basketId, placementId } = command;
  const held = state.byBasket[basketId];
  if (!held || held.replaced.includes(placementId)) return [];
  return [DiscountUseReleased({ discountId, basketId, placementId, uses: state.uses - 1 })];
};

const countCustomer = ({ byCustomer }: DiscountUsageState, customerId: string, by: 1 | -1): void => {
  const uses = (byCustomer[customerId] ?? 0) + by;
  if (uses > 0) byCustomer[customerId] = uses;
  else delete byCustomer[customerId];
};

/**
 * The uses of one discount: its limits are kept here and nowhere else (decisions, storefront 5.5). A use stands in a
 * basket's name; a placement takes over that of an earlier one.
 */
export const discountUsageDecider: Decider<DiscountUsageState, DiscountUsageCommand, DiscountUsageEvent> = {
  category: 'discountUsage',
  initial: () => ({ uses: 0, byBasket: {}, byCustomer: {} }),
  decide: (state, command) => {
    switch (command.type) {
      case 'ClaimDiscountUse':
        return claim(state, command);
      case 'ReleaseDiscountUse':
        return release(state, command);
    }
  },
  evolve: (state, event) => {
    const { basketId, uses } = event.data;
    const held = state.byBasket[basketId];
    if (held) countCustomer(state, held.customerId, -1);
    if (event.type === 'DiscountUseReleased') delete state.byBasket[basketId];
    else {
      const { placementId, customerId } = event.data;
      const replaced = held ? [...held.replaced, held.placementId] : [];
      state.byBasket[basketId] = { placementId, customerId, replaced };
      countCustomer(state, customerId, 1);
    }
    return { ...state, uses };
  },
  snapshot: { version: 1, every: 200 },
  remembersCommands: false,
};

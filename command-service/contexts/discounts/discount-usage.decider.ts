import { discountUsageEvents, type DiscountUsageEvent } from '#events/discount-usage.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { comesLate, rememberReleased, takenBy, takenOver, type Held } from '#values/basket-hold.ts';
import type {
  ClaimDiscountUse,
  DiscountUsageCommand,
  ReleaseDiscountUse,
} from './discount-usage.commands.ts';

/** A basket's use. */
interface Use extends Held {
  readonly customerId: string;
}

export interface DiscountUsageState {
  readonly uses: number;
  /** By basket, and how many by customer. Both grow in place. */
  readonly byBasket: Record<string, Use>;
  readonly byCustomer: Record<string, number>;
  /** Baskets that have given their use back, the last ones: what is late must not claim it again. */
  readonly released: Record<string, Held>;
}

/** The limits of a rule as they are now. */
export interface UsageLimits {
  readonly totalUsageLimit: number | null;
  readonly perCustomerUsageLimit: number | null;
}

const { DiscountUseClaimed, DiscountUseReleased } = discountUsageEvents.create;

const limitReached = (
  errorCode: 'UsageLimitReached' | 'CustomerUsageLimitReached',
  message: string,
): Rejection => new Rejection('usage-limit-reached', message, { errorCode });

const unlimited: UsageLimits = { totalUsageLimit: null, perCustomerUsageLimit: null };

const isOver = (asking: ClaimDiscountUse, released: Held): boolean =>
  comesLate(asking, released) ||
  (asking.placementId === released.placementId && (asking.turn ?? 0) <= (released.turn ?? 0));

const claim = (
  state: DiscountUsageState,
  command: ClaimDiscountUse,
  limits: UsageLimits | null,
): DiscountUsageEvent[] => {
  const { type: _, turn, ...asked } = command;
  const use = { ...asked, ...(turn === undefined ? {} : { turn }) };
  const held = state.byBasket[use.basketId];
  const released = state.released[use.basketId];
  if (held ? comesLate(command, held) : released && isOver(command, released)) throw takenOver();
  if (held?.placementId === use.placementId && held.turn === turn) return [];
  const isResumed = held?.placementId === use.placementId;
  // What a placement holds stays its own when the discount goes: by now it may have its number, and its invoice.
  if (!limits && !isResumed)
    throw new Rejection('discount-not-applicable', 'This discount does not exist any more.');
  const { totalUsageLimit, perCustomerUsageLimit } = limits ?? unlimited;
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
  const { discountId, basketId, placementId, turn } = command;
  const held = state.byBasket[basketId];
  if (held ? comesLate(command, held) : !isToBeNoted(state, command)) return [];
  const holder = { basketId, placementId, ...(turn === undefined ? {} : { turn }) };
  return [DiscountUseReleased({ discountId, ...holder, uses: state.uses - (held ? 1 : 0) })];
};

const isToBeNoted = (state: DiscountUsageState, command: ReleaseDiscountUse): boolean => {
  const released = state.released[command.basketId];
  const isNoted = released?.placementId === command.placementId && released.turn === command.turn;
  return command.isFinal === true && !isNoted && (released === undefined || !comesLate(command, released));
};

const countCustomer = ({ byCustomer }: DiscountUsageState, customerId: string, by: 1 | -1): void => {
  const uses = (byCustomer[customerId] ?? 0) + by;
  if (uses > 0) byCustomer[customerId] = uses;
  else delete byCustomer[customerId];
};

/** Ends the basket's use, if it has one; returns in whose name the next one stands. */
const giveUp = (state: DiscountUsageState, { data }: DiscountUsageEvent): Held => {
  const held = state.byBasket[data.basketId];
  if (held) countCustomer(state, held.customerId, -1);
  return takenBy(data, held ?? state.released[data.basketId]);
};

/**
 * The uses of one discount: its limits are kept here and nowhere else (docs/rules/discounts.md#uses). A use stands in a
 * basket's name; a placement takes over that of an earlier one.
 */
export const discountUsageDecider: Decider<
  DiscountUsageState,
  DiscountUsageCommand,
  DiscountUsageEvent,
  UsageLimits | null
> = {
  category: 'discountUsage',
  initial: () => ({ uses: 0, byBasket: {}, byCustomer: {}, released: {} }),
  decide: (state, command, limits) => {
    switch (command.type) {
      case 'ClaimDiscountUse':
        return claim(state, command, limits);
      case 'ReleaseDiscountUse':
        return release(state, command);
    }
  },
  on: {
    DiscountUseClaimed: (state, event) => {
      const { basketId, customerId, uses } = event.data;
      state.byBasket[basketId] = { ...giveUp(state, event), customerId };
      delete state.released[basketId];
      countCustomer(state, customerId, 1);
      return { ...state, uses };
    },
    DiscountUseReleased: (state, event) => {
      const { basketId, uses } = event.data;
      const taken = giveUp(state, event);
      delete state.byBasket[basketId];
      rememberReleased(state.released, basketId, taken);
      return { ...state, uses };
    },
  },
  snapshot: { version: 2, every: 200 },
  remembersCommands: false,
};

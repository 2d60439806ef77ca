import { discountUsageEvents, type DiscountUsageEvent } from '#events/discount-usage.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import { comesLate, takenBy, takenOver, type Held } from '#values/basket-hold.ts';
import { forget, nothingRecent, recall, remember, type Recent } from '#values/recent.ts';
import type {
  ClaimDiscountUse,
  DiscountUsageCommand,
  GiveUpDiscountUse,
  ReleaseDiscountUse,
  SettleDiscountUse,
  TakeOverDiscountUses,
} from './discount-usage.commands.ts';

/** A basket whose use has ended. */
interface Ended extends Held {
  /** Its sale is confirmed: the use counts for good. */
  readonly isSettled?: true;
}

export interface DiscountUsageState {
  /** Open and settled ones. */
  readonly uses: number;
  /** Uses of sales that are not confirmed yet, by basket. Changes in place. */
  readonly open: Record<string, Held>;
  /** Baskets whose use has ended: what is late must not claim one again. */
  readonly ended: Recent<Ended>;
  /** Uses of invoices that were placed up to here have been taken over, those of each customer apart. */
  readonly takenThrough: number;
  readonly customersTakenThrough: number;
  /** More is to be taken over once the rule is saved. */
  readonly isTakingOver: boolean;
}

/** How many uses there may be now. */
export interface UsageLimit {
  readonly most: number | null;
  readonly errorCode: 'UsageLimitReached' | 'CustomerUsageLimitReached';
}

const { DiscountUseClaimed, DiscountUseReleased, DiscountUseSettled, DiscountUsesTakenOver } =
  discountUsageEvents.create;

const reached = ({ errorCode }: UsageLimit): Rejection =>
  new Rejection(
    'usage-limit-reached',
    errorCode === 'UsageLimitReached'
      ? 'This discount has been used up.'
      : 'You have used this discount as often as it allows.',
    { errorCode },
  );

const isOver = (asking: ClaimDiscountUse, ended: Held): boolean =>
  comesLate(asking, ended) ||
  (asking.placementId === ended.placementId && (asking.turn ?? 0) <= (ended.turn ?? 0));

const claim = (
  state: DiscountUsageState,
  command: ClaimDiscountUse,
  limit: UsageLimit | null,
): DiscountUsageEvent[] => {
  const { type: _, turn, ...asked } = command;
  const use = { ...asked, ...defined({ turn }) };
  const held = state.open[use.basketId];
  const ended = recall(state.ended, use.basketId);
  if (ended?.isSettled) return [];
  if (held ? comesLate(command, held) : ended && isOver(command, ended)) throw takenOver();
  if (held?.placementId === use.placementId && held.turn === turn) return [];
  // What a placement holds stays its own when the discount goes: by now it may have its number, and its invoice.
  if (!limit && held?.placementId !== use.placementId)
    throw new Rejection('discount-not-applicable', 'This discount no longer exists.');
  const uses = held ? state.uses : state.uses + 1;
  if (limit && !held && limit.most !== null && uses > limit.most) throw reached(limit);
  return [DiscountUseClaimed({ ...use, uses })];
};

const release = (state: DiscountUsageState, command: ReleaseDiscountUse): DiscountUsageEvent[] => {
  const { discountId, basketId, placementId, turn } = command;
  const held = state.open[basketId];
  if (held ? comesLate(command, held) : !isToBeNoted(state, command)) return [];
  const holder = { basketId, placementId, ...defined({ turn }) };
  return [DiscountUseReleased({ discountId, ...holder, uses: state.uses - (held ? 1 : 0) })];
};

const isToBeNoted = (state: DiscountUsageState, command: ReleaseDiscountUse): boolean => {
  const ended = recall(state.ended, command.basketId);
  if (ended?.isSettled) return false;
  const isNoted = ended?.placementId === command.placementId && ended.turn === command.turn;
  return command.isFinal === true && !isNoted && (ended === undefined || !comesLate(command, ended));
};

const settle = (
  { uses, open }: DiscountUsageState,
  { discountId, basketId, placementId }: SettleDiscountUse,
): DiscountUsageEvent[] =>
  open[basketId]?.placementId === placementId
    ? [DiscountUseSettled({ discountId, basketId, placementId, uses })]
    : [];

/** Of a sale too, long ago: then it is a number only, and only its counter knows that it was given up. */
const giveUp = (
  { uses, open, ended }: DiscountUsageState,
  { discountId, basketId, placementId }: GiveUpDiscountUse,
): DiscountUsageEvent[] => {
  const held = open[basketId];
  const before = recall(ended, basketId);
  const isOver = held ? held.placementId !== placementId : before !== undefined && !before.isSettled;
  if (isOver || uses === 0) return [];
  return [DiscountUseReleased({ discountId, basketId, placementId, uses: uses - 1 })];
};

/** What has ended or been claimed meanwhile is not counted a second time. */
const takeOver = (
  state: DiscountUsageState,
  { type: _, after, open: found, settled, ...taken }: TakeOverDiscountUses,
): DiscountUsageEvent[] => {
  if (state.takenThrough !== after) return [];
  const open = found.filter(({ basketId }) => !state.open[basketId] && !recall(state.ended, basketId));
  const isNoted = after > 0 && (!taken.perCustomer || state.customersTakenThrough > 0);
  if (isNoted && state.isTakingOver !== taken.isLast && settled + open.length === 0) return [];
  const uses = state.uses + settled + open.length;
  return [DiscountUsesTakenOver({ ...taken, settled, open: [...open], uses })];
};

/** In whose name the basket's next use stands. */
const takenFrom = (state: DiscountUsageState, { basketId, ...asking }: Use): Held =>
  takenBy(asking, state.open[basketId] ?? recall(state.ended, basketId));

interface Use {
  readonly basketId: string;
  readonly placementId: string;
  readonly turn?: number | undefined;
}

/**
 * The uses of one discount, or those of one customer: a limit is kept here and nowhere else
 * (docs/rules/discounts.md#uses). A use stands in a basket's name; a placement takes over that of an earlier one. Once
 * its sale is confirmed it is a number: the state does not grow with sales.
 */
export const discountUsageDecider: Decider<
  DiscountUsageState,
  DiscountUsageCommand,
  DiscountUsageEvent,
  UsageLimit | null
> = {
  category: 'discountUsage',
  initial: () => ({
    uses: 0,
    open: {},
    ended: nothingRecent(),
    takenThrough: 0,
    customersTakenThrough: 0,
    isTakingOver: false,
  }),
  decide: (state, command, limit) => {
    switch (command.type) {
      case 'ClaimDiscountUse':
        return claim(state, command, limit);
      case 'ReleaseDiscountUse':
        return release(state, command);
      case 'SettleDiscountUse':
        return settle(state, command);
      case 'GiveUpDiscountUse':
        return giveUp(state, command);
      case 'TakeOverDiscountUses':
        return takeOver(state, command);
    }
  },
  on: {
    DiscountUseClaimed: (state, { data }) => {
      state.open[data.basketId] = takenFrom(state, data);
      forget(state.ended, data.basketId);
      return { ...state, uses: data.uses };
    },
    DiscountUseReleased: (state, { data }) => {
      const taken = takenFrom(state, data);
      delete state.open[data.basketId];
      remember(state.ended, data.basketId, taken);
      return { ...state, uses: data.uses };
    },
    DiscountUsesTakenOver: (state, { data: { open, uses, through, perCustomer, isLast } }) => {
      for (const { basketId, placementId } of open) state.open[basketId] = { placementId, replaced: [] };
      const customersTakenThrough = perCustomer ? through : state.customersTakenThrough;
      return { ...state, uses, takenThrough: through, customersTakenThrough, isTakingOver: !isLast };
    },
    DiscountUseSettled: (state, { data: { basketId, placementId, uses } }) => {
      delete state.open[basketId];
      remember(state.ended, basketId, { placementId, replaced: [], isSettled: true });
      return { ...state, uses };
    },
  },
  snapshot: { version: 6, every: 200 },
  remembersCommands: false,
};

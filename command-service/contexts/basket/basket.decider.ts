import { basketEvents } from '#events/basket.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type {
  BasketCommand,
  ChangeBasketCurrency,
  ClearBasket,
  IdentifyBuyer,
  RepriceBasket,
} from './basket.commands.ts';
import type { BasketContext } from './basket.context.ts';
import { afterTimeout } from './after-timeout.state.ts';
import { takeOffDiscount } from './basket-discounts.decider.ts';
import { addLine, addUpsell, changeLineQuantity, removeLine } from './basket-lines.decider.ts';
import { replaceLines } from './replace-lines.decider.ts';
import { endMerged, mergeBasket } from './merge-baskets.decider.ts';
import { basketStream } from './basket-evolution.state.ts';
import {
  destinationAfter,
  editableBasket,
  existingBasket,
  noBasket,
  opensTo,
  type BasketState,
  type BasketStreamEvent,
} from './basket.state.ts';
import { withConsequences } from './priced-change.ts';

const { BasketBuyerIdentified, BasketCleared, BasketCurrencyChanged, BasketRepriced } = basketEvents.create;

/** Nothing happens when the basket has today's figures already. */
const reprice = (state: BasketState, command: RepriceBasket, context: BasketContext): BasketStreamEvent[] => {
  const basket = existingBasket(state);
  const destination = command.destination ?? basket.destination;
  const events = withConsequences({ ...basket, destination }, context, (pricing) => [
    BasketRepriced({ destination, pricing }),
  ]);
  const [repriced] = events;
  const isUpToDate =
    events.length === 1 &&
    repriced?.type === 'BasketRepriced' &&
    repriced.data.pricing.changedLines.length === 0 &&
    isSameJson(repriced.data.pricing.totals, basket.totals) &&
    isSameJson(repriced.data.pricing.discounts, basket.discounts) &&
    isSameJson(destination, basket.destination);
  return isUpToDate ? [] : events;
};

const changeCurrency = (
  state: BasketState,
  { currency, destination: chosen }: ChangeBasketCurrency,
  context: BasketContext,
): BasketStreamEvent[] => {
  const basket = existingBasket(state);
  const destination = destinationAfter(basket, chosen);
  const moved = isSameJson(destination, basket.destination)
    ? []
    : reprice(state, { type: 'RepriceBasket', destination }, context);
  return basket.preferredCurrency === currency ? moved : [BasketCurrencyChanged({ currency }), ...moved];
};

/** Segments in the order of their ids: the same ones in another order are the same. */
const identifyBuyer = (
  state: BasketState,
  { memberId, customerId, segmentIds: given, byAgent }: IdentifyBuyer,
  context: BasketContext,
): BasketStreamEvent[] => {
  const basket = existingBasket(state);
  const isShoppers = byAgent === true && state.handOver !== null && state.memberId !== memberId;
  if (isShoppers || !opensTo(state, memberId)) throw noBasket();
  const buyer = { memberId, customerId, segmentIds: [...new Set(given)].sort() };
  const { memberId: knownMember, customerId: knownCustomer, segmentIds } = basket;
  if (isSameJson(buyer, { memberId: knownMember, customerId: knownCustomer, segmentIds })) return [];
  return withConsequences({ ...basket, ...buyer }, context, (pricing) => [
    BasketBuyerIdentified({ ...buyer, pricing }),
  ]);
};

const clear = (state: BasketState, { unlessOrdered }: ClearBasket): BasketStreamEvent[] => {
  if (unlessOrdered && (state.order !== null || state.status === 'placing')) return [];
  const found = editableBasket(state);
  if (found === null) return [];
  const { currency, customerId } = found.basket;
  return [BasketCleared({ currency, customerId })];
};

type Change = Exclude<BasketCommand, { readonly type: 'ClearBasket' | 'EndMergedBasket' }>;

const decideChange = (
  state: BasketState,
  command: Change,
  context: BasketContext,
): readonly BasketStreamEvent[] => {
  switch (command.type) {
    case 'AddBasketLine':
      return addLine(state, command, context);
    case 'AddUpsell':
      return addUpsell(state, command, context);
    case 'ChangeBasketLineQuantity':
      return changeLineQuantity(state, command, context);
    case 'ReplaceBasketLines':
      return replaceLines(state, command, context);
    case 'RemoveBasketLine':
      return removeLine(state, command, context);
    case 'TakeOffDiscount':
      return takeOffDiscount(state, command, context);
    case 'RepriceBasket':
      return reprice(state, command, context);
    case 'ChangeBasketCurrency':
      return changeCurrency(state, command, context);
    case 'IdentifyBuyer':
      return identifyBuyer(state, command, context);
    case 'MergeBasket':
      return mergeBasket(state, command, context);
  }
};

const decide = (
  state: BasketState,
  command: BasketCommand,
  context: BasketContext,
): readonly BasketStreamEvent[] => {
  switch (command.type) {
    // What becomes of its shipping means nothing to a basket that ends.
    case 'ClearBasket':
      return clear(state, command);
    case 'EndMergedBasket':
      return endMerged(state, command);
    default:
      return afterTimeout(state, context, (current) => decideChange(current, command, context));
  }
};

/** The rules of a basket (docs/rules/basket.md#changing). */
export const basketDecider: Decider<BasketState, BasketCommand, BasketStreamEvent, BasketContext> = {
  ...basketStream,
  decide,
};

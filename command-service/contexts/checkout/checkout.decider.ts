import type { BasketPrices } from '#command/pricing/basket-prices.ts';
import { codesRemoved, priceAnyway, priceBasket } from '#command/pricing/price-basket.ts';
import {
  allLost,
  isSameShipping,
  requoteShipping,
  shippingCost,
  shippingRequoted,
} from '#command/pricing/requote-shipping.ts';
import { basketEvents } from '#events/basket.events.ts';
import { changedBasket, type BasketChange, type BasketView } from '#events/basket-view.ts';
import { checkoutEvents, type ShippingChoice } from '#events/checkout.events.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { Destination } from '#values/address.ts';
import { takenOver } from '#values/basket-hold.ts';
import { basketStream } from '../basket/basket-evolution.state.ts';
import {
  editableBasket,
  emptyBasket,
  reachableBasket,
  type BasketState,
  type BasketStreamEvent,
  type EditableBasket,
  type PlacingBasket,
} from '../basket/basket.state.ts';
import type {
  ApplyDiscountCode,
  ChangeAddresses,
  CheckoutCommand,
  CompleteBasket,
  CompletePlacement,
  ExpireOrder,
  FailPlacement,
  ResumePlacement,
  SelectShipping,
} from './checkout.commands.ts';
import { startPlacement } from './placement.decider.ts';
import type { CheckoutContext } from './checkout.context.ts';

const { BasketCompleted, BasketRepriced } = basketEvents.create;
const {
  CheckoutAddressesChanged,
  CheckoutDestinationChanged,
  DiscountCodeApplied,
  DiscountCodeRemoved,
  OrderExpired,
  OrderPlaced,
  OrderPlacementFailed,
  OrderPlacementResumed,
  ShippingSelected,
} = checkoutEvents.create;

/** The basket, open and with something in it: without one there is no checkout. */
const filled = (state: BasketState): EditableBasket => {
  const found = editableBasket(state);
  if (found === null || found.basket.lines.length === 0) throw emptyBasket();
  return found;
};

interface Changed {
  readonly codes?: BasketView['codes'];
  readonly choices?: readonly ShippingChoice[];
}

/** Prices the basket after a change of checkout; codes that fell away follow as events of their own. */
const repriced = (
  basket: BasketView,
  { codes = basket.codes, choices = basket.choices }: Changed,
  prices: BasketPrices,
  change: (pricing: BasketPricing) => BasketChange,
): BasketChange[] => {
  const { pricing, dropped } = priceBasket(
    { lines: basket.lines, codes, shipping: shippingCost(choices) },
    prices,
  );
  return [change(pricing), ...codesRemoved({ pricing, dropped })];
};

/** Prices the basket with what is known of the tax that a provider is to say; `[]` where that changes nothing. */
const applyTax = (state: BasketState, { prices }: CheckoutContext): BasketStreamEvent[] => {
  const { basket } = filled(state);
  const { destination, totals } = basket;
  const events = repriced(basket, {}, prices, (pricing) => BasketRepriced({ destination, pricing }));
  const [change] = events;
  if (change?.type !== 'BasketRepriced') return [];
  const { pricing } = change.data;
  const isSame = pricing.changedLines.length === 0 && isSameJson(pricing.totals, totals);
  return isSame && events.length === 1 ? [] : events;
};

const isSamePlace = (a: Destination, b: Destination): boolean =>
  a.countryCode === b.countryCode && a.regionCode === b.regionCode && a.postalCode === b.postalCode;

const changeAddresses = (
  state: BasketState,
  command: ChangeAddresses,
  { prices, planShipping, now }: CheckoutContext,
): BasketStreamEvent[] => {
  const { basket } = filled(state);
  const { type: _, ...given } = command;
  const { countryCode, regionCode, postalCode } = command.shippingAddress;
  const destination = { countryCode, regionCode, postalCode };
  // A place that was known by its country alone is not left by telling its postal code.
  const keepsShipping = isSamePlace(destination, {
    ...basket.destination,
    postalCode: basket.destination.postalCode ?? postalCode,
  });
  const change = (pricing: BasketPricing) =>
    CheckoutAddressesChanged({ ...given, destination, keepsShipping, pricing });
  const { choices } = basket;
  if (!keepsShipping || choices.length === 0) return repriced(basket, { choices: [] }, prices, change);
  // The place is the same, but it may only now be known that its postal code costs more, or is not served.
  const shipping = requoteShipping(choices, planShipping({ ...basket, destination }), now);
  const [changed, ...dropped] = repriced(basket, { choices: shipping.choices }, prices, change);
  if (changed?.type !== 'CheckoutAddressesChanged') return [];
  return [changed, ...shippingRequoted(choices, shipping, changed.data.pricing), ...dropped];
};

/** A move closes what had been chosen for the old place. */
const moveTo = (basket: BasketView, destination: Destination, prices: BasketPrices): BasketChange[] =>
  isSamePlace(destination, basket.destination)
    ? []
    : repriced(basket, { choices: [] }, prices, (pricing) =>
        CheckoutDestinationChanged({ destination, pricing }),
      );

const isSameGoods = (one: BasketView['lines'], other: BasketView['lines']): boolean =>
  one === other ||
  (one.length === other.length &&
    one.every(({ lineId, quantity }, index) => {
      const line = other[index];
      return line?.lineId === lineId && line.quantity === quantity;
    }));

/**
 * The choices as they hold good for the basket on which is decided: a line may have come or gone, or the place have
 * changed, since the shopper's request was looked at.
 */
const choicesFor = (
  basket: BasketView,
  { choices: selected, quotedOn }: SelectShipping,
  { planShipping, now }: CheckoutContext,
): readonly ShippingChoice[] => {
  if (isSameGoods(basket.lines, quotedOn.lines) && isSamePlace(basket.destination, quotedOn.destination)) {
    return selected;
  }
  const { choices } = requoteShipping(selected, planShipping(basket), now);
  const gone = selected.filter(({ groupId }) => !choices.some((choice) => choice.groupId === groupId));
  if (gone.length === 0) return choices;
  const errors = gone.map(({ groupId, name }) => [groupId, `${name} is not offered any more. Choose again.`]);
  throw new Rejection('shipping-incomplete', 'The basket has changed. Choose again how it is shipped.', {
    errors: Object.fromEntries(errors) as Record<string, string>,
  });
};

const selectShipping = (
  state: BasketState,
  command: SelectShipping,
  context: CheckoutContext,
): BasketStreamEvent[] => {
  const { basket: open } = filled(state);
  const { prices } = context;
  const moves = command.destination === null ? [] : moveTo(open, command.destination, prices);
  const basket = moves.reduce(changedBasket, open);
  const choices = choicesFor(basket, command, context);
  if (isSameShipping(choices, basket.choices)) return moves;
  return [
    ...moves,
    ...repriced(basket, { choices }, prices, (pricing) =>
      ShippingSelected({ choices: [...choices], pricing }),
    ),
  ];
};

const applyCode = (
  state: BasketState,
  { discountId, code, name }: ApplyDiscountCode,
  { prices }: CheckoutContext,
): BasketStreamEvent[] => {
  const { basket } = filled(state);
  const refuse = (errorCode: string, message: string): Rejection =>
    new Rejection('discount-not-applicable', message, { errorCode });
  if (basket.codes.some((applied) => applied.discountId === discountId)) {
    throw refuse('AlreadyApplied', `${code} has been applied already.`);
  }
  const codes = [...basket.codes, { discountId, code, name }];
  const { pricing, dropped } = priceBasket(
    { lines: basket.lines, codes, shipping: shippingCost(basket.choices) },
    prices,
  );
  const own = dropped.find((found) => found.kind === 'code' && found.discountId === discountId);
  if (own) throw refuse(own.problem.errorCode, own.problem.message);
  if (!pricing.discounts.some((taken) => taken.discountId === discountId)) {
    throw refuse('NoApplicableProducts', `${code} does not apply to this basket.`);
  }
  const applied = DiscountCodeApplied({ discountId, code, name, pricing });
  return [applied, ...codesRemoved({ pricing, dropped })];
};

const resumePlacement = ({ placement, turns }: BasketState, command: ResumePlacement): BasketStreamEvent[] =>
  placement?.placementId === command.placementId
    ? [OrderPlacementResumed({ placementId: placement.placementId, turn: turns + 1 })]
    : [];

/** The basket, when the placement is still to be ended. One that another driver has taken over is that one's to end. */
const toBeEnded = (
  state: BasketState,
  { placementId, turn }: CompletePlacement | FailPlacement,
): PlacingBasket | null => {
  if (state.placement === null || state.placement.placementId !== placementId) return null;
  if (turn >= state.placement.turn) return state;
  throw takenOver();
};

const completePlacement = (state: BasketState, command: CompletePlacement): BasketStreamEvent[] => {
  if (toBeEnded(state, command) === null) return [];
  const { placementId, invoiceId, invoiceNumber } = command;
  return [OrderPlaced({ placementId, invoiceId, invoiceNumber })];
};

/** A code whose uses ran out meanwhile leaves the basket with the placement that it failed. */
const failPlacement = (
  state: BasketState,
  command: FailPlacement,
  { prices }: CheckoutContext,
): BasketStreamEvent[] => {
  const placing = toBeEnded(state, command);
  if (placing === null) return [];
  const { placementId, code, message, details, keepsHolds } = command;
  const failed = OrderPlacementFailed({ placementId, code, message, details: { ...details }, keepsHolds });
  const { lines, choices, codes: entered } = placing.basket;
  const lost = entered.find(({ discountId }) => discountId === details['discountId']);
  if (!lost) return [failed];
  const codes = entered.filter((other) => other !== lost);
  // A placement ends whatever prices have done meanwhile: nothing of this may refuse.
  const { pricing, dropped, isAsBefore } = priceAnyway(
    { lines, codes, shipping: shippingCost(choices) },
    prices,
  );
  return [
    failed,
    DiscountCodeRemoved({ discountId: lost.discountId, code: lost.code, reason: message, pricing }),
    ...(isAsBefore ? shippingRequoted(choices, allLost(choices), pricing) : []),
    ...codesRemoved({ pricing, dropped }),
  ];
};

/** Said on this stream once for each invoice, also when the basket has a newer one: it ends the giving back. */
const expireOrder = (state: BasketState, { placementId, invoiceId }: ExpireOrder): BasketStreamEvent[] =>
  state.expiredInvoiceId === invoiceId ? [] : [OrderExpired({ placementId, invoiceId })];

const completeBasket = (state: BasketState, { invoiceId }: CompleteBasket): BasketStreamEvent[] =>
  reachableBasket(state) === null ? [] : [BasketCompleted({ invoiceId })];

/** The rules of checkout: the second half of a basket's stream (docs/rules/checkout.md). */
export const checkoutDecider: Decider<BasketState, CheckoutCommand, BasketStreamEvent, CheckoutContext> = {
  ...basketStream,
  decide: (state, command, context) => {
    switch (command.type) {
      case 'ChangeAddresses':
        return changeAddresses(state, command, context);
      case 'SelectShipping':
        return selectShipping(state, command, context);
      case 'ApplyDiscountCode':
        return applyCode(state, command, context);
      case 'ApplyTax':
        return applyTax(state, context);
      case 'StartPlacement':
        return startPlacement(filled(state), command, context);
      case 'ResumePlacement':
        return resumePlacement(state, command);
      case 'CompletePlacement':
        return completePlacement(state, command);
      case 'FailPlacement':
        return failPlacement(state, command, context);
      case 'ExpireOrder':
        return expireOrder(state, command);
      case 'CompleteBasket':
        return completeBasket(state, command);
    }
  },
};
